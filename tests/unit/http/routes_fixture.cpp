#include "tests/unit/http/routes_fixture.hpp"

#include "http/matrix_reply.hpp"
#include "persistence/realm_store.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <utility>

namespace weir::test {

namespace {

/// Longer than any answer inside the process takes.
constexpr std::chrono::seconds patience{20};

/// A store whose quarantine is as full as it may be, since a test cannot fill
/// it. All else goes to a real one.
class crammed_store final : public store, keep_store {
public:
  explicit crammed_store(std::unique_ptr<store> real) : real_{std::move(real)} {
  }

  expected<int64_t> bury(const dead_letter_row& row) override {
    return real_->keep().bury(row);
  }
  expected<std::vector<dead_letter_row>>
  read_letters(const appservice_id& of, int64_t after, int64_t until,
               size_t rows_max, size_t bytes_max) override {
    return real_->keep().read_letters(of, after, until, rows_max, bytes_max);
  }
  expected<int64_t> last_letter(const appservice_id& of) override {
    return real_->keep().last_letter(of);
  }
  expected<uint64_t> remove_letters(const appservice_id& of,
                                    std::span<const int64_t> ids) override {
    return real_->keep().remove_letters(of, ids);
  }
  expected<bool> count_quarantined(const quarantine_row& row) override {
    return real_->keep().count_quarantined(row);
  }
  expected<int64_t> quarantine(const quarantine_row& row) override {
    return real_->keep().quarantine(row);
  }
  expected<std::vector<kept_size>>
  next_quarantined(const appservice_id& of, int64_t after, int64_t until,
                   size_t rows_max, size_t bytes_max) override {
    return real_->keep().next_quarantined(of, after, until, rows_max,
                                          bytes_max);
  }
  expected<int64_t> last_quarantined(const appservice_id& of) override {
    return real_->keep().last_quarantined(of);
  }
  expected<uint64_t> remove_quarantined(const appservice_id& of,
                                        std::span<const int64_t> ids) override {
    return real_->keep().remove_quarantined(of, ids);
  }
  expected<uint64_t> dead_letter_bytes() override {
    return real_->keep().dead_letter_bytes();
  }
  expected<uint64_t> quarantine_bytes() override {
    return uint64_t{limits::quarantine_bytes_max};
  }
  expected<kept_bytes> held_by(const appservice_id& of) override {
    return real_->keep().held_by(of);
  }

  keep_store& keep() override {
    return *this;
  }
  outbox_store& outbox() override {
    return real_->outbox();
  }
  waiting_store& waiting() override {
    return real_->waiting();
  }
  ordering_store& orderings() override {
    return real_->orderings();
  }
  inbox_store& inbox() override {
    return real_->inbox();
  }
  outcome_store& outcomes() override {
    return real_->outcomes();
  }
  command_store& commands() override {
    return real_->commands();
  }
  removal_store& removals() override {
    return real_->removals();
  }
  realm_stores realms() override {
    return real_->realms();
  }
  expected<slot_lease> take_slot(uint32_t slot, const std::string& owner,
                                 uint64_t run) override {
    return real_->take_slot(slot, owner, run);
  }
  expected<std::vector<slot_row>> slots() override {
    return real_->slots();
  }
  expected<void> begin(const slot_lease& lease, uint64_t positions) override {
    return real_->begin(lease, positions);
  }
  expected<stored_time> now() override {
    return real_->now();
  }
  expected<void> add_clock_offset(milliseconds by) override {
    return real_->add_clock_offset(by);
  }
  expected<void> commit() override {
    return real_->commit();
  }
  void rollback() noexcept override {
    real_->rollback();
  }
  expected<void> reconnect() override {
    return real_->reconnect();
  }
  expected<std::optional<slot_row>> read_slot(uint32_t slot) override {
    return real_->read_slot(slot);
  }
  expected<void> tidy(size_t pages_max) override {
    return real_->tidy(pages_max);
  }

private:
  std::unique_ptr<store> real_;
};

queue_settings queue_of(const std::string& id, const std::string& url) {
  queue_settings queue;
  queue.id = {id};
  queue.peer.url = url;
  queue.hs_token = id + "-token";
  return queue;
}

served_appservice served(const std::string& id, const std::string& url) {
  served_appservice to;
  to.id = {id};
  to.hs_token = id + "-token";
  to.sends = !url.empty();
  to.bounds.queue.elements_max = 1'000;
  to.bounds.queue.bytes_max = 1'000'000;
  to.link.peer.url = url;
  to.link.token = to.hs_token;
  return to;
}

} // namespace

// -- the network --------------------------------------------------------------

void answering_network::send(uint64_t, http_request request,
                             std::function<void(http_answer)> done) {
  if (hangs && hangs(request)) {
    const std::lock_guard lock{mutex_};
    sent_.push_back(std::move(request));
    hanging_.push_back(std::move(done));
    return;
  }
  auto answer = script ? script(request) : answer_of(200);
  {
    const std::lock_guard lock{mutex_};
    sent_.push_back(std::move(request));
  }
  done(std::move(answer));
}

void answering_network::answer_one(http_answer answer) {
  std::function<void(http_answer)> done;
  {
    const std::lock_guard lock{mutex_};
    REQUIRE_FALSE(hanging_.empty());
    done = std::move(hanging_.front());
    hanging_.pop_front();
  }
  done(std::move(answer));
}

size_t answering_network::hanging() const {
  const std::lock_guard lock{mutex_};
  return hanging_.size();
}

std::vector<http_request> answering_network::sent() const {
  const std::lock_guard lock{mutex_};
  return sent_;
}

http_answer answer_of(int status, std::string body) {
  http_answer answer;
  answer.status = status;
  answer.body = std::move(body);
  return answer;
}

// -- the routes ---------------------------------------------------------------

routes_fixture::routes_fixture() = default;

expected<std::unique_ptr<store>> routes_fixture::connect() {
  auto real = database.connect();
  if (!quarantine_full)
    return real;
  return std::unique_ptr<store>{
    std::make_unique<crammed_store>(std::move(real))};
}

void routes_fixture::start() {
  appservice_routes::options to;
  house_settings settings;
  std::vector<appservice_id> ids;
  std::vector<served_appservice> all;
  for (const auto& [id, url] : appservices) {
    ids.push_back({id});
    settings.queues.push_back(queue_of(id, url));
    all.push_back(served(id, url));
  }
  board_ = std::make_shared<bridge_board>(ids);
  settings.board = board_;
  house_config config;
  config.settings = std::make_shared<const house_settings>(settings);
  config.open_store = [this] { return connect(); };
  config.open_reader = [this]() -> expected<std::unique_ptr<store_reader>> {
    return database.connect_reader();
  };
  config.network = &network;
  config.elapsed_clock = [] { return milliseconds{0}; };
  config.random = [last = std::make_shared<std::atomic<uint64_t>>(7)] {
    return ++*last * 0x9e3779b97f4a7c15U;
  };
  config.node = "test";
  config.readers = 1;
  house_ = std::make_unique<house>(std::move(config));
  to.appservices = make_served(std::move(all), true);
  to.board = board_;
  to.later = [this](milliseconds, std::function<void()> then) {
    const std::lock_guard lock{mutex_};
    later_.push_back(std::move(then));
  };
  routes_ = std::make_unique<appservice_routes>(*house_, pings_, std::move(to));
}

body_wish routes_fixture::wish(const std::string& method,
                               const std::string& path,
                               const std::string& appservice) {
  request_head head;
  head.method = method;
  head.target
    = path.starts_with("/_weir/") ? path : "/_weir/as/" + appservice + path;
  head.fields = {{"Authorization", "Bearer " + appservice + "-token"}};
  head.arrived = std::chrono::steady_clock::now();
  head.remote = "127.0.0.1:1";
  return routes_->handle(head);
}

http_response routes_fixture::ask(const std::string& method,
                                  const std::string& path,
                                  const std::string& body,
                                  const std::string& appservice) {
  return answered(wish(method, path, appservice), body);
}

size_t routes_fixture::run_later() {
  std::vector<std::function<void()>> now;
  {
    const std::lock_guard lock{mutex_};
    now = std::exchange(later_, {});
  }
  for (const auto& each : now)
    each();
  return now.size();
}

http_response answered(const body_wish& wish, std::string body) {
  auto promise = std::make_shared<std::promise<http_response>>();
  auto future = promise->get_future();
  const auto answer = once_only([promise](http_response response) {
    promise->set_value(std::move(response));
  });
  if (wish.answer)
    wish.answer(answer);
  else
    wish.take(std::move(body), answer);
  REQUIRE(future.wait_for(patience) == std::future_status::ready);
  return future.get();
}

} // namespace weir::test
