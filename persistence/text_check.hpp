#pragma once

#include <string_view>

namespace weir {

/// Whether every store keeps these bytes unchanged as text: UTF-8 without a
/// zero byte. Columns that may hold other bytes are BLOB or BYTEA. Source:
/// Unicode 15, table 3-7 (no surrogates, no overlong forms).
bool storable_as_text(std::string_view bytes) noexcept;

} // namespace weir
