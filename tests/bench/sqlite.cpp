#include "tests/bench/sqlite.hpp"

#include "tests/bench/wire.hpp"

#include <sqlite3.h>

namespace bench {

database::database(const std::string& path) {
  if (sqlite3_open(path.c_str(), &on_) != SQLITE_OK)
    give_up("no database at " + path);
  run("PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL;"
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
      "PRAGMA journal_size_limit = 16777216; PRAGMA foreign_keys = ON;"
      "PRAGMA cell_size_check = ON;");
}

database::~database() {
  sqlite3_close(on_);
}

void database::run(const std::string& statements) {
  if (sqlite3_exec(on_, statements.c_str(), nullptr, nullptr, nullptr)
      != SQLITE_OK)
    give_up(sqlite3_errmsg(on_));
}

int64_t database::last_row() const {
  return sqlite3_last_insert_rowid(on_);
}

statement::statement(database& on, std::string_view text) : on_{on} {
  if (sqlite3_prepare_v3(on.get(), text.data(), static_cast<int>(text.size()),
                         SQLITE_PREPARE_PERSISTENT, &made_, nullptr)
      != SQLITE_OK)
    give_up(sqlite3_errmsg(on.get()));
}

statement::~statement() {
  sqlite3_finalize(made_);
}

bool statement::next() {
  const int result = sqlite3_step(made_);
  if (result != SQLITE_ROW && result != SQLITE_DONE)
    give_up(sqlite3_errmsg(on_.get()));
  return result == SQLITE_ROW;
}

int statement::end() {
  sqlite3_reset(made_);
  return sqlite3_changes(on_.get());
}

int64_t statement::number(int column) {
  return sqlite3_column_int64(made_, column);
}

std::string_view statement::text(int column) {
  const auto* bytes = sqlite3_column_blob(made_, column);
  return {static_cast<const char*>(bytes),
          static_cast<size_t>(sqlite3_column_bytes(made_, column))};
}

void statement::bind(int at, int64_t number) {
  sqlite3_bind_int64(made_, at, number);
}

void statement::bind(int at, std::string_view text) {
  sqlite3_bind_text(made_, at, text.data(), static_cast<int>(text.size()),
                    SQLITE_STATIC);
}

void statement::bind(int at, blob bytes) {
  sqlite3_bind_blob(made_, at, bytes.bytes.data(),
                    static_cast<int>(bytes.bytes.size()), SQLITE_STATIC);
}

writing::writing(database& on) : on_{on} {
  on_.run("BEGIN IMMEDIATE");
}

writing::~writing() {
  on_.run("COMMIT");
}

} // namespace bench
