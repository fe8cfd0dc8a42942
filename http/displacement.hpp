#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>

namespace weir {

/// How a connection stands that has no request under way.
struct standing {
  std::chrono::steady_clock::time_point since; ///< It waits from then on.
  bool has_served = false; ///< A request of it was let in before.
};

/// Keeps one connection's standing. Thread-safe.
class standing_now {
public:
  /// A request was let in: it is never cut off for another.
  void let_in() noexcept;
  /// It was answered. Who was refused may be a stranger and counts as before.
  void waits_again(bool has_served) noexcept;
  /// Empty while a request is under way.
  [[nodiscard]] std::optional<standing> get() const noexcept;

private:
  using clock = std::chrono::steady_clock;
  static constexpr clock::rep busy = 0;

  std::atomic<clock::rep> since_{clock::now().time_since_epoch().count()};
  std::atomic<bool> has_served_{false};
};

/// Which connection gives way to a new one when a listener is at its bound: of
/// those that never had a request let in the one that waits longest, else of
/// the others. So neither idle connections nor half-sent heads of strangers
/// keep a homeserver out, and a request that was let in is never cut off.
/// @param all Empty entries have a request under way.
/// @return Its index; empty when every one is busy.
std::optional<size_t> displaced(std::span<const std::optional<standing>> all);

} // namespace weir
