#pragma once

#include <array>
#include <cstddef>
#include <memory>

namespace weir::trace {

/// What was computed of the last shared values, by which they were: a thread
/// meets a value again within a few messages, or never. Holds none of them.
template <class T, class Result>
class remembered {
public:
  template <class Compute>
  const Result& of(const std::weak_ptr<const T>& value, Compute compute) {
    for (const auto& each : ring_)
      if (!each.value.expired() && !each.value.owner_before(value)
          && !value.owner_before(each.value))
        return each.result;
    auto& entry = ring_[next_++ % ring_.size()];
    entry = {value, compute()};
    return entry.result;
  }

private:
  struct known {
    std::weak_ptr<const T> value;
    Result result;
  };
  std::array<known, 16> ring_;
  size_t next_ = 0;
};

} // namespace weir::trace
