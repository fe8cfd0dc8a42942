#include "persistence/sql/seen_window.hpp"
#include "tests/conformance/stores.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using hashes = std::vector<uint64_t>;

/// A window over a connection that begins and ends transactions itself.
struct windowed {
  on_sqlite where;
  sql::connection on;
  sql::seen_window window;

  windowed() : on{address(), sql::purpose::writing, false}, window{on} {
    must(on.open());
  }

  template <class Work>
  void transaction(Work work, bool kept = true) {
    must(on.begin_writing());
    work();
    if (kept)
      must(on.commit());
    else
      on.rollback();
  }
  hashes find(const hashes& of) {
    return must(window.find(1, of));
  }

private:
  sql::address address() {
    where.connect();
    return must(sql::parse_url(where.file.options().url));
  }
};

} // namespace

TEST_CASE("seen_window: what one transaction does it sees itself") {
  windowed in;
  in.transaction([&] {
    CHECK(in.find({1, 2}).empty());
    must(in.window.remember(1, hashes{1, 2, 3}, noon));
    CHECK(in.find({1, 2}) == hashes{1, 2});
    CHECK(must(in.window.forget(1, noon, 2, 100)) == 1);
    CHECK(in.find({1, 2}) == hashes{2});
    must(in.window.remember(1, hashes{1}, noon));
    CHECK(in.find({1, 2, 3}) == hashes{1, 2, 3});
  });
  in.transaction([&] { CHECK(in.find({1, 2, 3}) == hashes{1, 2, 3}); });
}

TEST_CASE("seen_window: what was rolled back was never seen") {
  windowed in;
  in.transaction([&] { must(in.window.remember(1, hashes{1}, noon)); });
  in.transaction([&] { must(in.window.remember(1, hashes{2}, noon)); }, false);
  in.transaction([&] {
    CHECK(in.find({1, 2}) == hashes{1});
    must(in.window.remember(1, hashes{3}, noon));
  });
  in.transaction([&] { CHECK(must(in.window.forget(1, {}, 0, 1)) == 1); },
                 false);
  in.transaction([&] { CHECK(in.find({1, 2, 3}) == hashes{1, 3}); });
}

TEST_CASE("seen_window: what another connection wrote since is seen") {
  windowed in;
  in.transaction([&] { must(in.window.remember(1, hashes{1}, noon)); });
  sql::connection other{must(sql::parse_url(in.where.file.options().url)),
                        sql::purpose::writing, false};
  must(other.open());
  must(other.script("UPDATE seen_event SET hashes = X'0000000000000009', "
                    "at = at + 1"));
  in.transaction([&] { CHECK(in.find({1, 9}) == hashes{9}); });
}
