#pragma once

#include "schema/element.hpp"
#include "schema/error.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weir {

/// Cuts a homeserver's transaction body into its elements. Their bytes are kept
/// exactly, so no number, escape, duplicate key or inner white space changes.
/// Elements come in the order `render_transaction` writes them: events, then
/// list by list, then whole values, each in the order they stood in.
///
/// Every item of `events` is kept, an object or not: refusing it would make the
/// homeserver repeat it for ever. Of an event id that cannot be stored as text
/// (U+0000, a lone surrogate) only the bytes are hashed. Empty lists and, of
/// `device_lists` and `key_counts`, empty objects owe nothing; a value of these
/// that is no object is kept as `lane::other`, which nothing merges.
///
/// Errors: `ec::not_json`; `ec::bad_json` if the body is no object, a list key
/// holds no list, or a top-level key is there twice; `ec::too_large` for more
/// than `limits::transaction_elements_max` elements.
/// Source: Application Service API, "Pushing events"; MSC2409, MSC3202,
/// MSC4203 for the other keys.
expected<incoming_transaction> slice_transaction(std::string_view body);

/// What `render_transaction` needs of an element; views must outlive the call.
struct rendered_item {
  lane kind = lane::event;
  std::string_view keys;  ///< As in `element::keys`.
  std::string_view bytes; ///< As in `element::bytes`.
};

/// The formats that new pins are written in. They differ in how the ephemeral
/// lane is spelt.
inline constexpr uint32_t transaction_format = 1;
inline constexpr uint32_t mirrored_format = 2;

/// The top-level keys under which an ephemeral element with the keys `keys` is
/// written in `format`: these, and in the mirrored format the other spelling
/// behind them. Anything but the known spellings stays as it is.
std::string ephemeral_keys(uint32_t format, std::string_view keys);

/// Writes the body of an outgoing transaction. The bytes depend on nothing but
/// the arguments and never change for a given format: a pin's checksum is over
/// them.
///
/// Format 1: `events` first and always, then the lists in the order in which
/// their keys first appear, then the whole values; no white space. An item with
/// two keys stands under both. Spellings of one key that differ in escapes only
/// are one key, written as it appeared first.
///
/// Format 2: the same, and every ephemeral item stands under the stable and the
/// unstable key, whichever it came with. Source: E4 of the appservice rules:
/// most bridges read only the unstable one.
///
/// Errors: `ec::corrupt` for a format that is not known; `ec::invalid_argument`
/// if a key would have to be written twice.
expected<std::string> render_transaction(uint32_t format,
                                         std::span<const rendered_item> items);

} // namespace weir
