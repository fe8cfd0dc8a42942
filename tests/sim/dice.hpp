#pragma once

#include <cstdint>

namespace weir::sim {

/// Random numbers that are the same on every machine: SplitMix64.
class dice {
public:
  explicit dice(uint64_t seed) : state_{seed} {
  }

  uint64_t operator()() {
    uint64_t mixed = state_ += 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
  }

  /// Evenly from `low` to `high`, both included.
  int64_t between(int64_t low, int64_t high) {
    const auto span = static_cast<uint64_t>(high - low) + 1;
    return low + static_cast<int64_t>((*this)() % span);
  }
  size_t below(size_t bound) {
    return static_cast<size_t>((*this)() % bound);
  }
  bool one_in(size_t often) {
    return below(often) == 0;
  }

private:
  uint64_t state_;
};

} // namespace weir::sim
