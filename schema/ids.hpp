#pragma once

#include <boost/describe/class.hpp>

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace weir {

/// The `id` of an appservice registration: unique for ever on one homeserver.
/// Source: Application Service API, "Registration".
struct appservice_id {
  std::string value;
  friend auto operator<=>(const appservice_id&, const appservice_id&) = default;
};
BOOST_DESCRIBE_STRUCT(appservice_id, (), (value))

/// An outgoing transaction id, `run-counter`: bound to its bytes before the
/// first send and never used again, not even by an older copy of the store,
/// because each start of a writer draws a new run. The counter is the queue's
/// number and its count, `5.17`, since a bridge may be renamed or have two
/// registrations, and then sees the ids of two queues.
struct txn_id {
  std::string value;
  friend auto operator<=>(const txn_id&, const txn_id&) = default;
};
BOOST_DESCRIBE_STRUCT(txn_id, (), (value))

} // namespace weir

template <>
struct std::hash<weir::appservice_id> {
  size_t operator()(const weir::appservice_id& id) const noexcept {
    return std::hash<std::string>{}(id.value);
  }
};
