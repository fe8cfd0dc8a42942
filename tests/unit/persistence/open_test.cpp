#include "persistence/sql/connection.hpp"
#include "persistence/sql/migrate.hpp"
#include "tests/conformance/stores.hpp"
#include "tests/support/source_dir.hpp"

#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <map>

using namespace weir;
using namespace weir::test;

namespace {

std::string file_text(const std::filesystem::path& path) {
  std::ifstream from{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{from}, {}};
}

mode_t mode_of(const std::filesystem::path& path) {
  struct stat found {};
  REQUIRE(::stat(path.c_str(), &found) == 0);
  return found.st_mode & 0777;
}

/// A SQLite connection beside the store.
struct beside {
  explicit beside(const sqlite_file& file)
    : on{must(sql::parse_url(file.options().url)), sql::purpose::migrating,
         false} {
    must(on.open());
  }
  sql::connection on;
};

} // namespace

TEST_CASE("open: addresses that are none are refused without being repeated") {
  for (const std::string url :
       {"", "sqlite:", "sqlite://relative/secret.db", "mysql://secret@host/db",
        "postgresql:secret", "/var/lib/secret.db", "sqlite:///a\"secret"}) {
    const auto parsed = sql::parse_url(url);
    REQUIRE(!parsed);
    CHECK(parsed.error().code == ec::invalid_argument);
    CHECK(parsed.error().context.find("secret") == std::string::npos);
  }
}

TEST_CASE("open: an address may name what we would add") {
  CHECK(must(sql::parse_url("sqlite:///a b/c.db")).where == "/a b/c.db");
  const auto plain = must(sql::parse_url("postgresql://u@h:1/n")).where;
  CHECK(plain.starts_with("postgresql://u@h:1/n?connect_timeout="));
  const auto given
    = must(sql::parse_url("postgres://u@h/n?connect_timeout=9")).where;
  CHECK(given.starts_with("postgres://u@h/n?connect_timeout=9&"));
  CHECK(given.find("connect_timeout", given.find('9')) == std::string::npos);
}

TEST_CASE("open: SQLite files belong to their owner alone") {
  on_sqlite where;
  {
    auto db = where.connect();
    must(db->take_slot(1, "node", first_run));
    const auto path = where.file.path();
    CHECK(mode_of(path) == 0600);
    CHECK(mode_of(path.string() + "-wal") == 0600);
  }
  ::chmod(where.file.path().c_str(), 0640);
  CHECK(code_of(open_store(where.file.options(), true)) == ec::forbidden);
  CHECK(code_of(open_store(where.file.options(), false)) == ec::forbidden);
  CHECK(code_of(open_store_reader(where.file.options())) == ec::forbidden);
}

TEST_CASE("open: SQLite is set up to keep what it commits") {
  on_sqlite where;
  auto db = where.connect();
  sql::connection on{must(sql::parse_url(where.file.options().url)),
                     sql::purpose::writing, false};
  must(on.open());
  CHECK(must(on.value("PRAGMA journal_mode")) == "wal");
  CHECK(must(on.value("PRAGMA synchronous")) == "2");
  CHECK(must(on.value("PRAGMA auto_vacuum")) == "2");
  CHECK(must(on.value("PRAGMA journal_size_limit")) != "-1");
}

namespace {

/// Takes for ever, as a page of a very large table seems to.
constexpr const char* endless
  = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
    "SELECT count(*) FROM n";

} // namespace

TEST_CASE("open: a page of SQLite that takes too long is given up") {
  on_sqlite where;
  where.connect();
  sql::connection on{must(sql::parse_url(where.file.options().url)),
                     sql::purpose::reading, false};
  must(on.open());
  on.limit_reading(milliseconds{0});
  CHECK(code_of(on.value(endless)) == ec::unavailable);
  // The connection is as good as before, and so is a page in time.
  on.limit_reading(limits::read_statement_timeout);
  CHECK(must(on.value("SELECT count(*) FROM slot")) == "0");
}

TEST_CASE("open: a store is made only when told to") {
  on_sqlite where;
  CHECK(code_of(open_store(where.file.options(), false)) == ec::unavailable);
  CHECK(code_of(open_store_reader(where.file.options())) == ec::unavailable);
  const beside empty{where.file};
  CHECK(code_of(open_store(where.file.options(), false)) == ec::corrupt);
  const sqlite_file nowhere;
  std::filesystem::remove(nowhere.path().parent_path());
  CHECK(code_of(open_store(nowhere.options(), true)) == ec::unavailable);
}

TEST_CASE("open: what is no database is told as such") {
  const sqlite_file file;
  std::ofstream{file.path()} << std::string(10'000, 'x');
  ::chmod(file.path().c_str(), 0600);
  CHECK(code_of(open_store(file.options(), true)) == ec::corrupt);
}

TEST_CASE("open: a server that is not there is unavailable") {
  const auto opened
    = open_store({"postgresql://weir:secret@127.0.0.1:1/none", false}, true);
  CHECK(code_of(opened) == ec::unavailable);
  CHECK(opened.error().context.find("secret") == std::string::npos);
}

TEST_CASE("open: a PostgreSQL that does not flush is refused") {
  const postgresql_database database;
  auto options = database.options();
  options.allow_unsafe_database = false;
  const auto opened = open_store(options, true);
  CHECK(code_of(opened) == ec::corrupt);
  CHECK(opened.error().context.find("fsync") != std::string::npos);
}

TEST_CASE("migrations: they are compiled in as they are on disk") {
  const std::filesystem::path root{source_dir() + "/schema/sql"};
  size_t files = 0;
  for (const auto& each : std::filesystem::recursive_directory_iterator{root})
    files += each.is_regular_file();
  CHECK(embedded_migrations().size() == files);
  for (const auto& each : embedded_migrations()) {
    auto number = std::to_string(each.number);
    number.insert(0, 4 - number.size(), '0');
    const auto path = root / each.database
      / (number + "_" + std::string{each.topic} + ".sql");
    CHECK_MESSAGE(file_text(path) == each.sql, path.string());
  }
}

TEST_CASE("migrations: they are numbered from 1, each number once") {
  std::map<std::string_view, int> last;
  for (const auto& each : embedded_migrations()) {
    CAPTURE(each.topic);
    CHECK(each.number == ++last[each.database]);
  }
}

TEST_CASE_TEMPLATE("migrations: applying them again changes nothing", Where,
                   on_sqlite, on_postgresql) {
  world<Where> on;
  on.adopted("a");
  auto again = on.where.connect();
  CHECK(must(again->read_slot(1))->pos == 1);
}

TEST_CASE("migrations: a landed one that was changed ends the start") {
  on_sqlite where;
  where.connect();
  {
    beside other{where.file};
    must(other.on.script(
      "UPDATE schema_version SET sha256 = 'other' WHERE number = 2"));
  }
  const auto opened = open_store(where.file.options(), true);
  CHECK(code_of(opened) == ec::corrupt);
  CHECK(opened.error().context.find("2") != std::string::npos);
  CHECK(code_of(open_store(where.file.options(), false)) == ec::corrupt);
  CHECK(code_of(open_store_reader(where.file.options())) == ec::corrupt);
}

TEST_CASE("migrations: a newer schema ends the start") {
  on_sqlite where;
  where.connect();
  {
    beside other{where.file};
    must(other.on.script("INSERT INTO schema_version (number, topic, sha256) "
                         "VALUES (99, 'later', '')"));
  }
  CHECK(code_of(open_store(where.file.options(), true)) == ec::corrupt);
}

TEST_CASE("migrations: a missing one is applied only when told to") {
  const sqlite_file file;
  const auto all = embedded_migrations();
  std::vector<migration> first;
  for (const auto& each : all) {
    if (each.number == 1)
      first.push_back(each);
  }
  {
    beside other{file};
    must(sql::migrate(other.on, first));
  }
  CHECK(code_of(open_store(file.options(), false)) == ec::corrupt);
  CHECK(code_of(open_store(file.options(), true)) == ec::none);
}

TEST_CASE("migrations: one that breaks leaves nothing behind") {
  const sqlite_file file;
  std::vector<migration> broken(embedded_migrations().begin(),
                                embedded_migrations().end());
  broken.push_back(
    {"sqlite", 50, "broken", "CREATE TABLE x (y INTEGER); oops"});
  beside other{file};
  CHECK(code_of(sql::migrate(other.on, broken)) == ec::rejected);
  CHECK(must(other.on.value("SELECT count(*) FROM sqlite_master")) == "0");
}
