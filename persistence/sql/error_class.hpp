#pragma once

#include "schema/error.hpp"

#include <string_view>

namespace weir::sql {

/// What an SQLSTATE means for the one who asked: `ec::unavailable` when trying
/// again may help, `ec::corrupt` when the data is damaged, else `ec::rejected`.
/// A statement that took too long (57014) is rejected: it is that statement's
/// fault, and its batch must be cut in halves to find it.
/// Source: PostgreSQL 15, "PostgreSQL Error Codes".
ec class_of_sqlstate(std::string_view state) noexcept;

/// The same for a result code of SQLite, extended or not.
ec class_of_sqlite(int result) noexcept;

} // namespace weir::sql
