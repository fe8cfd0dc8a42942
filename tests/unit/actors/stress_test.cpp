#include "actors/house.hpp"
#include "schema/transaction.hpp"
#include "tests/support/actors/actor_fixture.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

using namespace weir;
using namespace weir::test;

namespace {

constexpr size_t bridges = 8;
constexpr size_t offers_each = 60;
constexpr size_t senders = 2;
/// Far beyond what it takes; a hang must end.
constexpr std::chrono::seconds patience{90};

/// Answers from a thread of its own, refusing one in seven. Counts what is
/// open.
class busy_network final : public outbound_http {
public:
  busy_network() : worker_{[this] { work(); }} {
  }
  ~busy_network() override {
    {
      const std::lock_guard lock{mutex_};
      stopped_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }

  void send(uint64_t id, http_request request,
            std::function<void(http_answer)> done) override {
    const std::lock_guard lock{mutex_};
    most_ = std::max(most_, ++open_[request.peer.url]);
    waiting_.emplace(id, one{std::move(request), std::move(done)});
    changed_.notify_all();
  }

  void abort(uint64_t id) override {
    std::function<void(http_answer)> done;
    {
      const std::lock_guard lock{mutex_};
      auto node = waiting_.extract(id);
      if (node.empty())
        return;
      --open_[node.mapped().request.peer.url];
      done = std::move(node.mapped().done);
    }
    done(unanswered(no_answer::aborted, "told to"));
  }

  size_t most() {
    const std::lock_guard lock{mutex_};
    return most_;
  }
  std::string taken(const std::string& url) {
    const std::lock_guard lock{mutex_};
    return taken_[url];
  }

private:
  struct one {
    http_request request;
    std::function<void(http_answer)> done;
  };

  void work() {
    std::unique_lock lock{mutex_};
    for (;;) {
      changed_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
      if (waiting_.empty())
        return;
      auto node = waiting_.extract(waiting_.begin());
      auto& now = node.mapped();
      --open_[now.request.peer.url];
      http_answer answer;
      answer.status = ++answers_ % 7 == 0 ? 503 : 200;
      if (answer.status == 200)
        taken_[now.request.peer.url] += now.request.body.view();
      lock.unlock();
      now.done(std::move(answer));
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<uint64_t, one> waiting_;
  std::map<std::string, size_t> open_;
  std::map<std::string, std::string> taken_;
  size_t most_ = 0;
  size_t answers_ = 0;
  bool stopped_ = false;
  std::thread worker_;
};

/// Counts answers, and lets one wait for them.
class countdown {
public:
  void one() {
    const std::lock_guard lock{mutex_};
    ++done_;
    changed_.notify_all();
  }
  bool wait_for(size_t wanted) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, patience, [&] { return done_ >= wanted; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t done_ = 0;
};

house_config config_for(busy_network& network,
                        const memory_database& database) {
  house_settings settings;
  for (size_t i = 0; i < bridges; ++i) {
    settings.queues.push_back(bridge("b" + std::to_string(i)));
    settings.queues.back().limits.pause.first = milliseconds{1};
  }
  settings.beat_every = milliseconds{5};
  settings.owed_scan_every = milliseconds{5};
  settings.idle_after = milliseconds{1}; // Leaving and coming back, all along.
  house_config config;
  config.settings = std::make_shared<const house_settings>(settings);
  config.open_store
    = [=]() -> expected<std::unique_ptr<store>> { return database.connect(); };
  config.open_reader = [=]() -> expected<std::unique_ptr<store_reader>> {
    return database.connect_reader();
  };
  config.network = &network;
  config.elapsed_clock = [] { return milliseconds{0}; };
  config.random = [last = std::make_shared<std::atomic<uint64_t>>(7)] {
    return ++*last * 0x9e3779b97f4a7c15U;
  };
  config.node = "stress";
  config.writers = 2;
  config.threads = 2;
  config.max_throughput = 1;
  return config;
}

incoming_transaction transaction(const std::string& id) {
  return slice_transaction(R"({"events":[{"event_id":"$)" + id + R"("}]})")
    .value();
}

} // namespace

TEST_CASE("house: on real threads nothing is lost, doubled or overlapped") {
  memory_database database;
  busy_network network;
  countdown answered;
  std::atomic<size_t> refused{0};
  {
    house under_test{config_for(network, database)};
    std::vector<std::thread> threads;
    for (size_t sender = 0; sender < senders; ++sender)
      threads.emplace_back([&, sender] {
        for (size_t i = 0; i < offers_each * bridges / senders; ++i) {
          accept_transaction request;
          request.appservice = {"b" + std::to_string(i % bridges)};
          request.hs_txn_id = std::to_string(sender) + "-" + std::to_string(i);
          request.content = shared{transaction(request.hs_txn_id)};
          under_test.offer(std::move(request), milliseconds{45'000},
                           [&](const expected<transaction_stored>& answer) {
                             refused += answer.has_value() ? 0 : 1;
                             answered.one();
                           });
          under_test.alive({"b" + std::to_string(i % bridges)});
        }
      });
    for (auto& each : threads)
      each.join();
    CHECK(answered.wait_for(offers_each * bridges));
    countdown delivered;
    // The pages say when all is delivered: asked again until they do.
    std::function<void(expected<queues_page>)> look
      = [&](const expected<queues_page>& page) {
          size_t events = 0;
          for (const auto& each : page.value().queues)
            events += each.row.delivered_events;
          if (events == offers_each * bridges)
            delivered.one();
          else
            under_test.queues({}, look);
        };
    under_test.queues({}, look);
    CHECK(delivered.wait_for(1));
    under_test.drain();
  }
  CHECK(refused == 0);
  CHECK(network.most() == 1);
  for (size_t i = 0; i < bridges; ++i) {
    const auto taken = network.taken("http://b" + std::to_string(i));
    size_t events = 0;
    for (auto at = taken.find("\"$"); at != std::string::npos;
         at = taken.find("\"$", at + 1))
      ++events;
    CHECK(events == offers_each);
  }
}
