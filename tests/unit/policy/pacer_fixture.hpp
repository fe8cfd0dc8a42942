#pragma once

#include "actors/policy/pacer.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace weir::test {

using namespace std::chrono_literals;

/// What the homeserver of a test does with one send.
struct reply {
  milliseconds after{0};
  policy::send_outcome outcome{policy::pause_effect::none, {}, false};
};

inline reply answers(milliseconds after = 0ms) {
  return {after, {policy::pause_effect::none, {}, false}};
}
inline reply refuses(milliseconds after = 0ms,
                     std::optional<milliseconds> asked = {}) {
  return {after, {policy::pause_effect::overloaded, asked, true}};
}
inline reply rate_limits(milliseconds after = 0ms,
                         std::optional<milliseconds> asked = {}) {
  return {after, {policy::pause_effect::limited, asked, true}};
}

/// One pacer on a virtual clock, realms with a backlog in rooms, a homeserver.
class paced_world {
public:
  struct start {
    milliseconds at;
    std::string source;
    std::string room;
  };

  explicit paced_world(const policy::pace_limits& limits)
    : pacer{limits, clock(0ms)} {
  }

  static instant clock(milliseconds since_start) {
    return instant{1h + since_start};
  }

  /// Answers each send: its room, and when it started.
  std::function<reply(const start&)> homeserver
    = [](const start&) { return answers(); };

  /// `sends` more for a room of a realm.
  void add(const std::string& realm, const std::string& room, int sends) {
    auto& owed = owed_[realm][room];
    if (owed == 0 && !in_flight_.contains({realm, room}))
      waiting_[realm].push_back(room);
    owed += sends;
    offer(realm);
  }

  void add_rooms(const std::string& realm, int rooms, int sends = 1) {
    for (int i = 0; i < rooms; ++i)
      add(realm, "!" + realm + std::to_string(i), sends);
  }

  /// Lets one send go through, and then as long pass as fills the bucket.
  void warm_up() {
    add("warm", "!warm", 1);
    run_until(now + 3s);
    REQUIRE(starts.size() == 1);
    now += 2s;
    base = now;
    starts.clear();
  }

  /// Runs up to and including what happens at `until` after `base`.
  void run(milliseconds until) {
    run_until(base + until);
  }

  void run_until(milliseconds until) {
    for (;;) {
      while (!ends_.empty() && ends_.begin()->first <= now)
        end_first();
      const auto wake = start_all();
      auto next = ends_.empty() ? milliseconds::max() : ends_.begin()->first;
      if (wake)
        next
          = std::min(next, std::chrono::ceil<milliseconds>(*wake - clock(0ms)));
      if (next > until)
        break;
      REQUIRE(next > now);
      now = next;
    }
    now = until;
  }

  int started(const std::string& source) const {
    int count = 0;
    for (const auto& each : starts)
      count += each.source == source ? 1 : 0;
    return count;
  }

  /// When sends to one room started, after `base`.
  std::vector<milliseconds> starts_of(const std::string& room) const {
    std::vector<milliseconds> found;
    for (const auto& each : starts)
      if (each.room == room)
        found.push_back(each.at);
    return found;
  }

  int owed() const {
    int count = 0;
    for (const auto& [realm, rooms] : owed_)
      for (const auto& [room, sends] : rooms)
        count += sends;
    return count;
  }

  policy::pacer pacer;
  milliseconds now{0};
  milliseconds base{0};
  double random_01 = 0;
  std::vector<start> starts;
  int delivered = 0;
  size_t most_in_flight = 0;

private:
  struct open_send {
    uint64_t permit;
    std::string realm;
    std::string room;
    policy::send_outcome outcome;
  };

  void offer(const std::string& realm) {
    auto& rooms = waiting_[realm];
    while (!rooms.empty()
           && pacer.offer({send_class::bulk, realm}, {rooms.front()}))
      rooms.pop_front();
  }

  std::optional<instant> start_all() {
    for (;;) {
      const auto next = pacer.next_start(clock(now));
      if (!next.start)
        return next.wake_at;
      const auto& of = *next.start;
      REQUIRE(pacer.begin(of.id, of.room, clock(now))
              == policy::begin_result::go);
      starts.push_back({now - base, of.source.id, of.room.value});
      const auto reply = homeserver(starts.back());
      in_flight_[{of.source.id, of.room.value}] = true;
      ends_.emplace(
        now + reply.after,
        open_send{of.id, of.source.id, of.room.value, reply.outcome});
      most_in_flight = std::max(most_in_flight, pacer.in_flight());
      if (reply.after == 0ms)
        end_first();
      offer(of.source.id);
    }
  }

  void end_first() {
    const auto done = ends_.begin()->second;
    ends_.erase(ends_.begin());
    in_flight_.erase({done.realm, done.room});
    pacer.settled(done.permit, done.outcome, clock(now), random_01);
    auto& owed = owed_[done.realm][done.room];
    if (!done.outcome.is_retried) {
      --owed;
      ++delivered;
    }
    if (owed > 0)
      waiting_[done.realm].push_back(done.room);
    offer(done.realm);
  }

  std::map<std::string, std::map<std::string, int>> owed_;
  std::map<std::string, std::deque<std::string>> waiting_;
  std::map<std::pair<std::string, std::string>, bool> in_flight_;
  std::multimap<milliseconds, open_send> ends_;
};

/// Without jitter.
inline policy::pace_limits plain_pace(double rate, uint32_t in_flight) {
  policy::pace_limits limits;
  limits.sends_per_second = rate;
  limits.in_flight = in_flight;
  limits.pause.jitter = 0;
  limits.room_pause.jitter = 0;
  return limits;
}

} // namespace weir::test
