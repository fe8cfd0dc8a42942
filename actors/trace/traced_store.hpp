#pragma once

#include "actors/trace/seams.hpp"
#include "persistence/store.hpp"

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

/// The store as a seam: what it answered goes into the record of the message
/// that asked, and a replay answers the same without a database.
namespace weir::trace {

/// `drawn` for a result, which has no value of its own to begin with.
template <class T, class Make>
expected<T> drawn_result(Make make) {
  if (!is_on()) [[likely]]
    return make();
  expected<T> result = fail(ec::unavailable, "not in the trace");
  if (!replay_drawn(typeid(expected<T>), &result))
    result = make();
  note_drawn(typeid(expected<T>), &result);
  return result;
}

/// Opens a store. While a trace is written, each of its answers that the writer
/// asks for itself is drawn; what operations come to is drawn by the writer,
/// which is why the ports are handed through.
expected<std::unique_ptr<store>> open_traced_store(
  const std::function<expected<std::unique_ptr<store>>()>& open);

} // namespace weir::trace
