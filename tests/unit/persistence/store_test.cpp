#include "persistence/sql/store.hpp"
#include "tests/conformance/stores.hpp"

using namespace weir;
using namespace weir::test;

namespace {

template <class Where>
void set_offset(world<Where>& on, milliseconds by) {
  on.batch([&] { must(on.db->add_clock_offset(by)); });
}

} // namespace

TEST_CASE_TEMPLATE("store: the fence tells the time, once, offset and all",
                   Where, on_sqlite, on_postgresql) {
  world<Where> on;
  constexpr milliseconds year = std::chrono::hours{24 * 365};
  set_offset(on, year);
  const auto near = [](stored_time a, stored_time b) {
    return a - b < std::chrono::minutes{10} && b - a < std::chrono::minutes{10};
  };
  on.batch([&] {
    const auto begun = must(on.db->now());
    CHECK(near(begun, must(on.reader->now())));
    // Asked again, the clock is read again.
    CHECK(must(on.db->now()) >= begun);
    must(on.db->add_clock_offset(-year));
    CHECK(near(must(on.db->now()), begun + year));
  });
  on.batch([&] {
    // What the fence told is of no use once the offset is another.
    const auto told = must(on.reader->now());
    must(on.db->add_clock_offset(year));
    CHECK(near(must(on.db->now()), told - year));
  });
}

TEST_CASE_TEMPLATE("store: a fence that failed tells no time", Where, on_sqlite,
                   on_postgresql) {
  world<Where> on;
  auto stale = on.lease;
  stale.pos += 1;
  CHECK(code_of(on.db->begin(stale, 1)) == ec::superseded);
  on.batch([&] { CHECK(must(on.db->now()) > noon); });
}
