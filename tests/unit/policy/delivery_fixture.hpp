#pragma once

#include "actors/policy/delivery.hpp"

#include <doctest/doctest.h>

#include <string>

namespace weir::policy {

inline bool operator==(const delivery::stored_pause& a,
                       const delivery::stored_pause& b) {
  return a.rest == b.rest && a.by_peer == b.by_peer;
}

} // namespace weir::policy

namespace weir::test {

using namespace std::chrono_literals;
using policy::delivery;
using policy::delivery_state;
using policy::delivery_step;
using policy::verdict_kind;

constexpr instant at(milliseconds since_start) {
  return instant{1h + since_start};
}

/// Without jitter, so that a pause is exactly its step.
constexpr delivery::limits plain{.pause
                                 = {.first = 1s, .ceiling = 300s, .jitter = 0},
                                 .poison = {.rejections = 3, .hangs = 5},
                                 .dead_letter = true,
                                 .legacy_paths = false};

constexpr delivery::limits changed(bool dead_letter, bool legacy_paths) {
  auto limits = plain;
  limits.dead_letter = dead_letter;
  limits.legacy_paths = legacy_paths;
  return limits;
}

inline policy::verdict answer(verdict_kind kind,
                              std::optional<milliseconds> retry_after = {}) {
  return {kind, std::string{policy::to_string(kind)}, retry_after};
}

/// One queue and its clock.
struct queue_of_one {
  explicit queue_of_one(delivery::limits limits = plain,
                        policy::delivery_subject first = {"run-1", 10, false})
    : of{limits} {
    of.pinned(std::move(first), now);
  }

  delivery of;
  instant now = at(0ms);

  [[nodiscard]] delivery_step next() const {
    return of.next(now);
  }
  [[nodiscard]] instant::duration rest() const {
    return of.ready_at() - now;
  }
  void pass(milliseconds time) {
    now += time;
  }
  /// Waits as long as the queue must, and no longer.
  void wait_until_ready() {
    now = std::max(now, of.ready_at());
  }
  /// The pinned bytes are sent as soon as that is allowed, and answered 10 ms
  /// later.
  void send(const policy::verdict& what) {
    wait_until_ready();
    REQUIRE(next() == delivery_step::send);
    const auto started = now;
    pass(10ms);
    of.answered(what, started, now, 0);
  }
  void send(verdict_kind kind, std::optional<milliseconds> retry_after = {}) {
    send(answer(kind, retry_after));
  }
  /// A hang, and the ping after the pause.
  void hang(bool alive) {
    send(verdict_kind::no_verdict_hang);
    wait_until_ready();
    REQUIRE(next() == delivery_step::prove_alive);
    of.proved(alive, now);
  }
  /// The transaction ends as said, and the store names the next.
  void settled(settlement how, policy::delivery_subject following) {
    REQUIRE(next() == delivery_step::settle);
    REQUIRE(of.ending() == how);
    of.pinned(std::move(following), now);
  }
};

inline std::string id_of(uint64_t counter) {
  return "run-" + std::to_string(counter);
}

} // namespace weir::test
