#include "persistence/clock_offset.hpp"
#include "tests/conformance/stores.hpp"

#include <array>
#include <cstdlib>

using namespace weir;
using namespace weir::test;
using std::chrono::hours;

namespace {

constexpr milliseconds month = hours{30 * 24};

store_options options_of(const on_sqlite& where) {
  return where.file.options();
}
store_options options_of(const on_postgresql& where) {
  return where.database.options();
}

/// A store whose clock was set a month forward under a running Weir.
template <class Where>
struct shifted : world<Where> {
  shifted() {
    this->batch([&] { must(this->db->add_clock_offset(month)); });
  }
  milliseconds give_up() {
    return must(give_up_clock_offset(options_of(this->where)));
  }
  stored_time now() {
    return must(this->reader->now());
  }
  template <class Change>
  void change(queue_row row, Change change) {
    change(row);
    this->batch([&] { must(this->db->outbox().save_queue(row)); });
  }
};

} // namespace

TEST_CASE_TEMPLATE("clock offset: it is given up when nothing is scheduled",
                   Where, on_sqlite, on_postgresql) {
  shifted<Where> on;
  on.adopted("irc");
  const auto before = on.now();
  CHECK(on.give_up() == month);
  CHECK(on.now() - before >= month);
  CHECK(on.now() - before < month + hours{1});
  CHECK(on.give_up() == milliseconds{0});
}

TEST_CASE_TEMPLATE("clock offset: what is owed keeps it", Where, on_sqlite,
                   on_postgresql) {
  shifted<Where> on;
  on.change(on.adopted("irc"), [](auto& row) { row.owed_others = 1; });
  const auto before = on.now();
  CHECK(on.give_up() == milliseconds{0});
  CHECK(on.now() - before < hours{1});
}

TEST_CASE_TEMPLATE("clock offset: a pause keeps it until it is over", Where,
                   on_sqlite, on_postgresql) {
  shifted<Where> on;
  const auto row = on.adopted("irc");
  on.change(row, [&](auto& it) { it.not_before = on.now() + hours{1}; });
  CHECK(on.give_up() == milliseconds{0});
  on.change(row, [&](auto& it) { it.not_before = on.now() - hours{1}; });
  CHECK(on.give_up() == month);
}

TEST_CASE_TEMPLATE("clock offset: what is remembered for a time keeps its age",
                   Where, on_sqlite, on_postgresql) {
  shifted<Where> on;
  const auto queue = on.adopted("irc").no;
  const std::array<uint64_t, 1> hashes{7};
  const auto count = [&](hours age) {
    uint64_t gone = 0;
    on.batch([&] {
      const auto now = must(on.db->now());
      gone = must(on.db->inbox().forget(queue, now - age, 10, 10, 10));
    });
    return gone;
  };
  on.batch([&] {
    const auto now = must(on.db->now());
    must(on.db->inbox().remember_seen(queue, hashes, now));
    must(on.db->inbox().remember_inbound(queue, {"1", 1, {7}, {}, now}));
  });
  CHECK(on.give_up() == month);
  CHECK(count(hours{1}) == 0);
  CHECK(count(hours{-1}) == 2);
}

TEST_CASE("clock offset: a store that is away says so") {
  CHECK(code_of(give_up_clock_offset({"postgresql://u@127.0.0.1:1/n"}))
        == ec::unavailable);
}
