#pragma once

#include "persistence/rows.hpp"
#include "persistence/sql/statement.hpp"

#include <string_view>

namespace weir::sql {

/// The columns of `dead_letter` that `read_letter` reads, and their types. The
/// element's text is not among them.
inline constexpr std::string_view letter_columns
  = "id, appservice, seq, lane, id_hash, attempts, accepted_at, buried_at, "
    "reason, keys, event_id";
inline constexpr std::string_view letter_types = "itiiiiiittb";

/// The letter in the row that `from` stepped to, without its bytes.
dead_letter_row read_letter(statement& from);

} // namespace weir::sql
