#pragma once

#include "persistence/rows.hpp"
#include "schema/error.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace weir {

/// Tables `inbound_transaction` and `seen_event`: what recognises a homeserver
/// that repeats itself. Runs inside the writer's open batch.
class inbox_store {
public:
  virtual ~inbox_store() = default;

  /// The newest generations remembered for this id, oldest first: at most
  /// `limits::inbound_generations_max`.
  virtual expected<std::vector<inbound_row>>
  find_inbound(queue_no queue, std::string_view hs_txn_id) = 0;

  /// Inserts a generation, or replaces the one with the same number.
  virtual expected<void> remember_inbound(queue_no queue,
                                          const inbound_row& row)
    = 0;

  /// Those of `hashes` that are in the window of seen events, in their order.
  virtual expected<std::vector<uint64_t>>
  find_seen(queue_no queue, std::span<const uint64_t> hashes) = 0;

  /// Adds events to the window, in their order. Known ones, and repeats among
  /// them, are left as they are.
  virtual expected<void> remember_seen(queue_no queue,
                                       std::span<const uint64_t> hashes,
                                       stored_time now)
    = 0;

  /// Bounds both windows of one appservice: forgets what is older than `before`
  /// and the oldest above `inbound_max` transactions and `seen_max` events; at
  /// most `rows_max` of each in one call. Oldest first, by when it was
  /// remembered last, and no further than the first that may stay. Returns how
  /// many went. For the janitor, not for every accept: it may count a window.
  virtual expected<uint64_t> forget(queue_no queue, stored_time before,
                                    size_t inbound_max, size_t seen_max,
                                    size_t rows_max)
    = 0;
};

} // namespace weir
