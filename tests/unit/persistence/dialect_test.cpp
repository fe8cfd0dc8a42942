#include "persistence/sql/dialect.hpp"
#include "persistence/sql/error_class.hpp"
#include "persistence/sql/outbox.hpp"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <string>

using namespace weir;
using namespace weir::sql;

TEST_CASE("dialect: BYTEA text comes back as the bytes it stands for") {
  std::string every_byte;
  for (int value = 0; value < 256; ++value)
    every_byte.push_back(static_cast<char>(value));
  std::string text;
  append_bytea(text, every_byte);
  CHECK(text.starts_with("\\x000102"));
  CHECK(bytes_of_bytea(text) == every_byte);
  CHECK(bytes_of_bytea("\\x").empty());
  for (const std::string odd : {"", "x00", "\\x0", "\\x0g", "\\xG0"})
    CHECK(bytes_of_bytea(odd).empty());
}

TEST_CASE("dialect: array literals quote what must be quoted") {
  array_literal numbers;
  numbers.add(-1);
  numbers.add(INT64_MIN);
  CHECK(numbers.close() == "{-1,-9223372036854775808}");
  array_literal texts;
  texts.add_text("");
  texts.add_text(R"(a"b\c,{})");
  CHECK(texts.close() == R"({"","a\"b\\c,{}"})");
  array_literal bytes;
  bytes.add_bytes(std::string_view("\0\xFF", 2));
  CHECK(bytes.close() == R"({"\\x00ff"})");
}

TEST_CASE("dialect: counts keep their order and hashes their bits") {
  CHECK(as_count(UINT64_MAX) == INT64_MAX);
  CHECK(as_count(7) == 7);
  CHECK(signed_pattern(UINT64_MAX) == -1);
  CHECK(static_cast<uint64_t>(signed_pattern(0x8000000000000001))
        == 0x8000000000000001);
}

TEST_CASE("dialect: the lanes of a pin come back as they were written") {
  const std::vector<lane_range> lanes{{lane::event, 1, 100},
                                      {lane::other, 7, UINT64_MAX}};
  CHECK(lanes_text(lanes) == "0:1-100 5:7-18446744073709551615");
  CHECK(parse_lanes(lanes_text(lanes)).value() == lanes);
  CHECK(parse_lanes("").value().empty());
  for (const std::string broken :
       {"0", "0:", "0:1", "0:1-", "6:1-2", "0:1-2,", "0:1-2 1", "0:1-2  1:3-4",
        "x:1-2", "0:-1-2", " 0:1-2"}) {
    const auto parsed = parse_lanes(broken);
    CHECK_MESSAGE(!parsed, broken);
  }
}

TEST_CASE("error_class: what passes by itself is unavailable") {
  for (const std::string state :
       {"08006", "08001", "53100", "53300", "57P01", "57P02", "57P03", "58030",
        "57014", "40001", "40P01", "55P03", "25P02", "25P03", "25006"})
    CHECK_MESSAGE(class_of_sqlstate(state) == ec::unavailable, state);
  for (const std::string state : {"23505", "22021", "42601", "", "P0001"})
    CHECK_MESSAGE(class_of_sqlstate(state) == ec::rejected, state);
  CHECK(class_of_sqlstate("XX001") == ec::corrupt);
  for (const int result :
       {SQLITE_FULL, SQLITE_IOERR, SQLITE_IOERR_FSYNC, SQLITE_BUSY,
        SQLITE_BUSY_SNAPSHOT, SQLITE_LOCKED, SQLITE_READONLY, SQLITE_CANTOPEN})
    CHECK(class_of_sqlite(result) == ec::unavailable);
  for (const int result : {SQLITE_CONSTRAINT, SQLITE_CONSTRAINT_UNIQUE,
                           SQLITE_ERROR, SQLITE_MISMATCH, SQLITE_TOOBIG})
    CHECK(class_of_sqlite(result) == ec::rejected);
  CHECK(class_of_sqlite(SQLITE_CORRUPT) == ec::corrupt);
  CHECK(class_of_sqlite(SQLITE_NOTADB) == ec::corrupt);
}
