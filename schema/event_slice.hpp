#pragma once

#include "schema/element.hpp"
#include "schema/json_check.hpp"

#include <string>
#include <string_view>

namespace weir {

/// Passes one event (`from.peek() == '{'`) and reads its id: empty when it has
/// none that can be stored as text. Of duplicate keys the last counts, as with
/// most parsers. False after a failure of the cursor.
[[nodiscard]] bool pass_event(json_cursor& from, std::string& event_id);

/// An element with its hash: of the event id, else of the bytes.
element make_element(lane kind, std::string keys, std::string_view raw,
                     std::string event_id = {});

} // namespace weir
