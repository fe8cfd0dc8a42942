#pragma once

#include "actors/policy/batcher.hpp"

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// Isolating an element that a bridge will never take.
///
/// A refused transaction becomes a suspect stretch of seqs. Its elements are
/// planned anew, half of the stretch at a time, under new ids:
///
///     no stretch ─ refused often enough ─▶ stretch = the transaction
///     stretch ─ a share of it refused ───▶ stretch = that share
///     stretch ─ a share of it accepted ──▶ stretch = the rest, or none
///     lone element ─ refused often enough ▶ given up; stretch = none
///
/// A stretch may hold more than one bad element: narrowing follows the first,
/// and what lies behind it is met again as an ordinary transaction. Elements
/// leave in order and no element is given up but as the only one of its
/// transaction. Everything here is a function of numbers that the store keeps,
/// so a restart goes on where it was. Source: R17, R18 of the appservice rules.
namespace weir::policy {

/// Seqs known to hold an element that the bridge refuses, both ends included.
struct suspect {
  uint64_t first = 0;
  uint64_t last = 0; ///< 0 when nothing is suspect; seqs start at 1.

  [[nodiscard]] bool any() const noexcept {
    return last != 0;
  }
  friend bool operator==(const suspect&, const suspect&) = default;
};

/// How often is often enough. At least 1 each; 0 is taken for 1.
struct poison_limits {
  /// Rejections of one transaction before it is halved, and of one lone element
  /// before it is given up.
  uint32_t rejections = 3;
  /// The same for hangs and crashes, of which only those count that a ping
  /// followed which proved the bridge alive.
  uint32_t hangs = 5;
  friend bool operator==(const poison_limits&, const poison_limits&) = default;
};
BOOST_DESCRIBE_STRUCT(poison_limits, (), (rejections, hangs))

/// What to do with a transaction that a bridge does not take.
enum class poison_action : uint8_t {
  retry,   ///< The same bytes again, under the same id.
  bisect,  ///< Retire the id; plan the elements anew.
  give_up, ///< The only element is the bad one: dead letter or block.
};
BOOST_DESCRIBE_ENUM(poison_action, retry, bisect, give_up)

/// The enumerator's name.
std::string_view to_string(poison_action of) noexcept;

/// What to do after the bridge rejected the content of a transaction.
/// @param rejections Of this very transaction id, this one included.
/// @param elements How many it holds, >= 1.
/// @param inside_suspect Whether it was planned from a suspect stretch: then
/// one rejection is enough to halve again, since its content is known to be
/// bad. A lone element needs the full count always.
[[nodiscard]] poison_action after_rejection(uint32_t rejections,
                                            uint64_t elements,
                                            bool inside_suspect,
                                            const poison_limits& bounds);

/// What to do after a hang or a crash on a transaction.
/// @param proven_hangs Of this very transaction id, each followed by a ping
/// that the bridge answered. With none the answer is always `retry`: a bridge
/// that is away proves nothing.
[[nodiscard]] poison_action after_hang(uint32_t proven_hangs, uint64_t elements,
                                       bool inside_suspect,
                                       const poison_limits& bounds);

/// What to do after 413: too big is too big, so no second try.
[[nodiscard]] poison_action after_too_big(uint64_t elements);

/// The byte bound for planning anew after 413: half of what was refused. Below
/// `limits::transaction_bytes_min` too, else the same elements would be planned
/// again. Not for a lone element: its size says nothing of the others.
[[nodiscard]] size_t byte_bound_after_too_big(size_t refused_body_bytes);

/// After `bisect`: the refused transaction is the suspect stretch.
[[nodiscard]] suspect narrowed_by_refusal(uint64_t pinned_first,
                                          uint64_t pinned_last);

/// After an acknowledgement, and after a lone element was given up: the rest of
/// the stretch holds it, and past its end nothing is suspect any more.
[[nodiscard]] suspect narrowed_by_success(suspect now, uint64_t acked_last);

/// How many of the oldest owed elements the next transaction may hold: half of
/// what is left of the stretch, at least 1; all when nothing is suspect.
/// `plan_transaction` is then asked about those alone, since the bounds hold
/// for them as well.
/// @param owed Oldest first, in order of seq.
[[nodiscard]] size_t suspect_share(suspect now,
                                   std::span<const plan_item> owed);

} // namespace weir::policy
