#pragma once

#include "persistence/sql/connection.hpp"
#include "schema/migrations.hpp"

#include <span>

namespace weir::sql {

/// Applies what is missing, in one transaction, and draws the store's identity
/// at creation. One process at a time: the database's lock decides. Errors:
/// `ec::corrupt` when a landed migration was changed or the schema is newer
/// than `known`.
expected<void> migrate(connection& on, std::span<const migration> known);

/// Checks that exactly `known` is applied. Errors: `ec::corrupt`.
expected<void> check_schema(connection& on, std::span<const migration> known);

} // namespace weir::sql
