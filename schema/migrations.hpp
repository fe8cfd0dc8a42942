#pragma once

#include <span>
#include <string_view>

namespace weir {

/// One numbered schema change for one database. Landed files are never edited:
/// the store refuses to open when a checksum differs.
struct migration {
  std::string_view database; ///< "sqlite" or "postgresql".
  int number = 0;            ///< 1, 2, … without gaps, per database.
  std::string_view topic;
  std::string_view sql;
};

/// Every file of `schema/sql`, in order of database and number.
std::span<const migration> embedded_migrations();

} // namespace weir
