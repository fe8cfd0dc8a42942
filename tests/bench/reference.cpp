// What Weir's speed is measured against: the same job on the same tables in the
// simplest honest way. SQLite's C API, one thread an appservice, one commit for
// each accept and for each acknowledge, plain sockets, no actors, no batches.
// It is crash-safe, keeps order and repeats byte for byte; all else that Weir
// does (back-off, poison, other lanes, proxying) it leaves out.
// usage: weir_reference DATABASE MIGRATIONS (ID LISTEN_PORT BRIDGE_PORT TOKEN)…

#include "tests/bench/events.hpp"
#include "tests/bench/ledger.hpp"
#include "tests/bench/wire.hpp"

#include <poll.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

using namespace bench;

/// Between two tries of a bridge that is away or refuses.
constexpr int64_t retry_ms = 1'000;
constexpr int64_t ns_per_ms = 1'000'000;

struct settings {
  std::string id;
  uint16_t port = 0;
  uint16_t bridge_port = 0;
  std::string token;
};

/// One appservice: takes what its homeserver sends and hands it on.
class worker {
public:
  worker(ledger& in, settings with)
    : ledger_{in},
      with_{std::move(with)},
      door_{listen_on_loopback(with_.port)} {
    due_ = ledger_.open(with_.id, queue_);
  }

  void run() {
    while (true) {
      if (sends_now())
        send();
      std::vector<pollfd> ready{{door_.socket.get(), POLLIN, 0}};
      if (bridge_)
        ready.push_back({bridge_->socket(), POLLIN, 0});
      const auto first_peer = ready.size();
      for (const auto& each : homeserver_)
        ready.push_back({each.socket(), POLLIN, 0});
      ::poll(ready.data(), ready.size(), wait_ms());
      if (bridge_ && ready[1].revents != 0)
        from_bridge();
      for (size_t at = ready.size(); at-- > first_peer;) {
        const auto index = static_cast<std::ptrdiff_t>(at - first_peer);
        if (ready[at].revents != 0
            && !from_homeserver(homeserver_[at - first_peer]))
          homeserver_.erase(homeserver_.begin() + index);
      }
      if (ready[0].revents != 0)
        homeserver_.emplace_back(accept_from(door_));
    }
  }

private:
  [[nodiscard]] bool waits_to_send() const {
    return due_ && !in_flight_;
  }

  [[nodiscard]] bool sends_now() const {
    return waits_to_send() && now_ns() >= not_before_ns_;
  }

  [[nodiscard]] int wait_ms() const {
    if (!waits_to_send())
      return -1;
    return static_cast<int>(
      std::max<int64_t>(not_before_ns_ - now_ns(), 0) / ns_per_ms + 1);
  }

  void rest() {
    not_before_ns_ = now_ns() + retry_ms * ns_per_ms;
  }

  bool from_homeserver(wire& on) {
    if (!on.fill())
      return false;
    while (const auto request = on.take()) {
      if (!request->first_line.starts_with("PUT ")) {
        if (!on.send(accepted_answer, {}))
          return false;
        continue;
      }
      auto next = accept(*request);
      if (!next || !on.send(accepted_answer, {}))
        return false;
      if (*next)
        due_ = std::move(*next);
    }
    return true;
  }

  /// Nothing when the request is no transaction or has the wrong token.
  std::optional<std::optional<outgoing>> accept(const message& request) {
    const auto target
      = request.first_line.substr(0, request.first_line.rfind(' '));
    const auto events = slice_events(request.body);
    if (!events || request.head.find("Bearer " + with_.token) == target.npos)
      return {};
    const auto slash = target.rfind('/');
    return ledger_.accept(queue_, target.substr(slash + 1), *events);
  }

  void from_bridge() {
    const auto answer
      = bridge_->fill() ? bridge_->wait() : std::optional<message>{};
    in_flight_ = false;
    if (!answer)
      bridge_.reset(); // It may close what was idle: again at once.
    else if (status_of(*answer) == 200)
      due_ = ledger_.acknowledge(queue_);
    else
      rest();
  }

  void send() {
    if (!bridge_) {
      auto made = connect_to(with_.bridge_port);
      if (!made.open())
        return rest();
      bridge_.emplace(std::move(made));
    }
    const auto head = put_head("/_matrix/app/v1/transactions/" + due_->id,
                               with_.token, due_->body.size());
    in_flight_ = bridge_->send(head, due_->body);
    if (!in_flight_)
      bridge_.reset();
  }

  ledger& ledger_;
  settings with_;
  listener door_;
  queue_row queue_;
  std::optional<outgoing> due_; ///< What is pinned; sent until acknowledged.
  bool in_flight_ = false;
  int64_t not_before_ns_ = 0;
  std::optional<wire> bridge_;
  std::vector<wire> homeserver_;
};

uint16_t port_of(const char* text) {
  return static_cast<uint16_t>(std::stoi(text));
}

} // namespace

int main(int count, char** arguments) {
  if (count < 3 || (count - 3) % 4 != 0)
    bench::give_up("usage: weir_reference DATABASE MIGRATIONS "
                   "(ID LISTEN_PORT BRIDGE_PORT TOKEN)...");
  bench::ledger ledger{arguments[1], arguments[2]};
  std::vector<std::thread> threads;
  for (int at = 3; at < count; at += 4) {
    settings with{arguments[at], port_of(arguments[at + 1]),
                  port_of(arguments[at + 2]), arguments[at + 3]};
    threads.emplace_back([&ledger, with] { worker{ledger, with}.run(); });
  }
  for (auto& each : threads)
    each.join();
}
