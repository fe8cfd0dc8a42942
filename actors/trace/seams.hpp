#pragma once

#include <atomic>
#include <cstdint>
#include <typeinfo>
#include <utility>

namespace weir {

struct http_request;

}

/// What a handler takes from outside its mailbox, and what it does that no
/// mailbox sees: told to a trace here, so that a replay can give the same and
/// expect the same. Without a trace each costs one relaxed load.
namespace weir::trace {

inline std::atomic<bool> switched_on{false};

/// Is a trace being written?
inline bool is_on() noexcept {
  return switched_on.load(std::memory_order_relaxed);
}

/// A callback was run with this answer.
void note_callback(const std::type_info& type, const void* answer);

/// A request was handed to the network, or given up there.
void note_http(uint64_t id, const http_request& request);
void note_http_abort(uint64_t id);

/// For `drawn`. `replay_drawn` is false without a replay; else `into` has what
/// was recorded, or is as it was when the trace does not tell: nothing is made
/// then, since what would make it is not there.
bool replay_drawn(const std::type_info& type, void* into);
void note_drawn(const std::type_info& type, const void* value);

/// The value of `make()`, which is not a function of messages and time: a
/// counter of the process, a request with a fresh id. A replay gives the value
/// that was recorded instead. `T` must be listed in registry.cpp.
template <class T, class Make>
T drawn(Make make) {
  if (!is_on()) [[likely]]
    return make();
  T value{};
  if (!replay_drawn(typeid(T), &value))
    value = make();
  note_drawn(typeid(T), &value);
  return value;
}

} // namespace weir::trace
