#pragma once

#include "schema/error.hpp"
#include "schema/realm.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// One event as its producer writes it.
struct realm_submission {
  std::string realm; ///< Of a line of a bulk request; else empty,
  std::string key;   ///< and so is this.
  std::string type;
  realm_class importance = realm_class::progress;
  coalesce_rule rule;
  std::string content; ///< A JSON object, byte for byte as it came.
  std::optional<std::vector<room_id>> rooms;
  std::chrono::milliseconds expires_in{0}; ///< 0: never.
  std::string split;
};

/// Reads one event: `type` and `content`, and what of `class`, `coalesce`,
/// `rooms`, `expires_in_ms`, `split` and, `in_bulk`, `realm` and `key` is
/// there. Other members are errors, so that a misspelled wish is not lost.
/// Errors: `ec::not_json`; `ec::bad_json` with what was expected.
expected<realm_submission> read_realm_submission(std::string_view body,
                                                 bool in_bulk);

/// Rooms that come and go: `{"add": […], "remove": […]}`.
struct audience_change {
  std::vector<room_id> add;
  std::vector<room_id> remove;
};
/// Errors: those of `read_realm_submission`.
expected<audience_change> read_audience_change(std::string_view body);

/// A whole audience: `{"rooms": […]}`. Ascending, each once. Errors: likewise.
expected<std::vector<room_id>> read_audience(std::string_view body);

/// What a room id looks like: `!` and at most 255 bytes, no control character.
bool is_room_id(std::string_view text) noexcept;

} // namespace weir
