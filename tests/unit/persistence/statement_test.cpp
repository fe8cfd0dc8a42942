#include "persistence/sql/statement.hpp"
#include "tests/conformance/stores.hpp"

#include <malloc.h>

using namespace weir;
using namespace weir::test;

namespace {

/// A table of its own beside those of a store.
struct scratch {
  on_sqlite where;
  sql::connection on;

  scratch() : on{address(), sql::purpose::migrating, false} {
    must(on.open());
    must(on.script("CREATE TABLE scratch (id INTEGER PRIMARY KEY, words TEXT, "
                   "raw BLOB, number INTEGER)"));
  }

private:
  sql::address address() {
    where.connect();
    return must(sql::parse_url(where.file.options().url));
  }
};

constexpr const char* insert
  = "INSERT INTO scratch (id, words, raw, number) VALUES (:id, :words, "
    "CAST(:raw AS BLOB), :number)";

} // namespace

TEST_CASE("statement: what is bound comes back, NULL and odd bytes too") {
  scratch in;
  sql::statement add{in.on, "add", insert};
  const std::string raw("\0\xFF'\"", 4);
  must(add.run(1, std::string{"it's :not a name"}, sql::raw_bytes{raw},
               std::optional<int64_t>{}));
  must(add.run(2, std::string{}, sql::raw_bytes{{}},
               std::optional<int64_t>{INT64_MIN}));
  CHECK(add.changed() == 1);
  sql::statement get{in.on, "get",
                     "SELECT words, raw, number, ':id' FROM scratch "
                     "ORDER BY id",
                     "tbit"};
  must(get.run());
  REQUIRE(must(get.next()));
  CHECK(get.text(0) == "it's :not a name");
  CHECK(get.text(1) == raw);
  CHECK(get.null(2));
  CHECK(get.text(3) == ":id");
  REQUIRE(must(get.next()));
  CHECK(get.text(0).empty());
  CHECK(get.number(2) == INT64_MIN);
  CHECK(!must(get.next()));
}

TEST_CASE("statement: it is prepared anew after its connection was") {
  scratch in;
  sql::statement count{in.on, "count", "SELECT count(*) FROM scratch", "i"};
  must(count.run());
  REQUIRE(must(count.next()));
  must(in.on.open());
  must(count.run());
  REQUIRE(must(count.next()));
  CHECK(count.number(0) == 0);
  in.on.close();
  CHECK(code_of(count.run()) == ec::unavailable);
}

TEST_CASE("statement: after one that broke the transaction takes no more") {
  scratch in;
  sql::statement add{in.on, "add", insert};
  const auto run = [&](const std::string& words) {
    return add.run(7, words, sql::raw_bytes{{}}, std::optional<int64_t>{});
  };
  // The key twice, and what is no text.
  for (const auto* words : {"secret", "secret\xFF"}) {
    CAPTURE(words);
    must(in.on.begin_writing());
    must(run("first"));
    const auto broken = run(words);
    CHECK(code_of(broken) == ec::rejected);
    // Which statement it was is told, and nothing of what was bound.
    CHECK(broken.error().context.starts_with("add: "));
    CHECK(broken.error().context.find("secret") == std::string::npos);
    CHECK(code_of(in.on.script("DELETE FROM scratch")) == ec::rejected);
    CHECK(code_of(in.on.commit()) == ec::rejected);
    in.on.rollback();
    CHECK(must(in.on.value("SELECT count(*) FROM scratch")) == "0");
  }
}

TEST_CASE("statement: one that fails again and again keeps nothing of it") {
  on_postgresql where;
  sql::connection on{must(sql::parse_url(where.database.options().url)),
                     sql::purpose::migrating, true};
  must(on.open());
  sql::statement read{on, "read", "SELECT CAST(:words AS BIGINT)", "i"};
  const std::string words(size_t{1} << 18, 'x');
  const auto fail_often = [&] {
    for (int times = 0; times < 40; ++times)
      CHECK(code_of(read.run(words)) == ec::rejected);
  };
  fail_often();
  const auto before = mallinfo2();
  fail_often();
  const auto after = mallinfo2();
  const auto held = [](const auto& at) { return at.uordblks + at.hblkhd; };
  CHECK(held(after) < held(before) + 4 * words.size());
}
