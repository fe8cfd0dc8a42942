#pragma once

#include "http/server.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

namespace weir {

/// How many connections of one listener are in each state. Thread-safe.
class connection_census {
public:
  using counts = std::array<uint64_t, connection_states>;

  std::atomic<uint64_t>& of(connection_state state) {
    return counts_[static_cast<size_t>(state)];
  }
  [[nodiscard]] counts now() const {
    counts result{};
    for (size_t at = 0; at < result.size(); ++at)
      result[at] = counts_[at];
    return result;
  }

private:
  std::array<std::atomic<uint64_t>, connection_states> counts_{};
};

/// One connection in the census. Owned by the connection, used on its strand.
class census_entry {
public:
  /// @param in Outlives this.
  explicit census_entry(connection_census& in) : in_{in} {
    enter(connection_state::idle);
  }
  census_entry(const census_entry&) = delete;
  census_entry& operator=(const census_entry&) = delete;
  ~census_entry() {
    leave();
  }

  void enter(connection_state next) {
    leave();
    state_ = next;
    ++in_.of(next);
  }
  /// It has ended.
  void leave() {
    if (state_)
      --in_.of(*state_);
    state_.reset();
  }

private:
  connection_census& in_;
  std::optional<connection_state> state_;
};

} // namespace weir
