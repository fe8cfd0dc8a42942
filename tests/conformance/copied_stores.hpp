#pragma once

#include "tests/conformance/stores.hpp"

#include <filesystem>

namespace weir::test {

/// A store of which an operator keeps a copy and puts it back.
struct copied_memory {
  on_memory where;
  std::shared_ptr<const memory_tables> copied;

  void keep_copy() {
    copied = where.database.copy();
  }
  void put_back() {
    where.database.restore(copied);
  }
};

struct copied_sqlite {
  on_sqlite where;

  [[nodiscard]] std::filesystem::path copied() const {
    return where.file.path().parent_path() / "yesterday";
  }
  /// A plain copy of the one file; no connection is open.
  void keep_copy() {
    std::filesystem::copy_file(where.file.path(), copied());
  }
  void put_back() {
    std::filesystem::copy_file(
      copied(), where.file.path(),
      std::filesystem::copy_options::overwrite_existing);
  }
};

struct copied_postgresql {
  on_postgresql where;

  static constexpr const char* tables[]
    = {"slot", "slot_run", "appservice", "outbox", "outcome"};
  void keep_copy() {
    for (const std::string table : tables)
      where.database.execute("CREATE TABLE copy_of_" + table + " AS TABLE "
                             + table);
  }
  void put_back() {
    where.database.execute(
      "TRUNCATE slot, slot_run, appservice, outbox, outcome");
    for (const std::string table : tables)
      where.database.execute("INSERT INTO " + table
                             + " OVERRIDING SYSTEM VALUE TABLE copy_of_"
                             + table);
  }
};

} // namespace weir::test

TYPE_TO_STRING_AS("memory", weir::test::copied_memory);
TYPE_TO_STRING_AS("SQLite", weir::test::copied_sqlite);
TYPE_TO_STRING_AS("PostgreSQL", weir::test::copied_postgresql);

/// Every store of which a copy can be put back, for TEST_CASE_TEMPLATE.
#define WEIR_EVERY_COPIED_STORE                                                \
  weir::test::copied_memory, weir::test::copied_sqlite,                        \
    weir::test::copied_postgresql
