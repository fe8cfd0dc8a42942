#include "tests/bench/sink.hpp"

#include "tests/bench/events.hpp"

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace bench {

namespace {

constexpr std::chrono::seconds patience{120};

} // namespace

sink::sink(size_t bridges, bool answers)
  : answers_{answers},
    received_(bridges) {
  for (size_t at = 0; at < bridges + 1; ++at)
    doors_.push_back(listen_on_loopback());
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    give_up("no pipe");
  stop_reader_ = descriptor{ends[0]};
  stop_writer_ = descriptor{ends[1]};
  thread_ = std::thread{[this] { serve(); }};
}

sink::~sink() {
  stop_writer_ = descriptor{};
  thread_.join();
}

uint16_t sink::bridge_port(size_t bridge) const {
  return doors_[bridge].port;
}

uint16_t sink::homeserver_port() const {
  return doors_.back().port;
}

void sink::wait_for(uint64_t events_each) {
  std::unique_lock lock{mutex_};
  const auto all_there = [&] {
    return std::all_of(
      received_.begin(), received_.end(),
      [&](const received& each) { return each.events >= events_each; });
  };
  if (!changed_.wait_for(lock, patience, all_there))
    give_up("the bridges wait in vain for their events");
}

received sink::of(size_t bridge) {
  const std::lock_guard lock{mutex_};
  return received_[bridge];
}

void sink::serve() {
  while (true) {
    std::vector<pollfd> ready{{stop_reader_.get(), POLLIN, 0}};
    for (const auto& door : doors_)
      ready.push_back({door.socket.get(), POLLIN, 0});
    for (const auto& each : peers_)
      ready.push_back({each.on.socket(), POLLIN, 0});
    ::poll(ready.data(), ready.size(), -1);
    if (ready[0].revents != 0)
      return;
    // Backwards, so that an erased peer moves none that is still to be seen.
    for (size_t at = ready.size(); at-- > doors_.size() + 1;) {
      const auto index = at - doors_.size() - 1;
      if (ready[at].revents != 0 && !take_from(peers_[index]))
        peers_.erase(peers_.begin() + static_cast<std::ptrdiff_t>(index));
    }
    for (size_t door = 0; door < doors_.size(); ++door) {
      if (ready[door + 1].revents != 0)
        peers_.push_back({wire{accept_from(doors_[door])}, door});
    }
  }
}

bool sink::take_from(peer& from) {
  if (!from.on.fill())
    return false;
  while (const auto request = from.on.take()) {
    const bool to_bridge = from.door < received_.size();
    if (to_bridge && request->first_line.starts_with("PUT "))
      count(from.door, *request);
    if ((answers_ || !to_bridge) && !from.on.send(accepted_answer, {}))
      return false;
  }
  return true;
}

void sink::count(size_t bridge, const message& transaction) {
  const auto now = now_ns();
  const auto seen = numbers_in(transaction.body);
  const std::lock_guard lock{mutex_};
  auto& to = received_[bridge];
  if (to.last_id == transaction.first_line) {
    ++to.repeats;
    return;
  }
  to.last_id = transaction.first_line;
  if (to.fault.empty() && (seen.first != to.events || !seen.in_order))
    to.fault = "event " + std::to_string(seen.first) + " came where "
      + std::to_string(to.events) + " was due";
  to.events += seen.count;
  to.arrived_ns.resize(to.events, now);
  changed_.notify_all();
}

} // namespace bench
