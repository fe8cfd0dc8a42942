#include "tests/sim/ledger_fixture.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::sim;

namespace {

constexpr int64_t age_max_ms = 60'000;

/// One whose events grow too old.
told of_age() {
  bridge_rules rules;
  rules.age_max = milliseconds{age_max_ms};
  told run;
  run.book = ledger{{rules}};
  run.book.upheaval(milliseconds{10'000'000});
  return run;
}

} // namespace

TEST_CASE("sim_age: an event that is too old is not pinned") {
  auto run = of_age();
  run.store({1});
  SUBCASE("but for one that just is not") {
    run.wait(age_max_ms);
    run.book.pinned(0, "a", run.now);
    run.send("a", {1});
    CHECK(run.rule() == "");
  }
  SUBCASE("but was while it was young") {
    run.book.pinned(0, "a", run.now);
    run.wait(age_max_ms + 1);
    run.send("a", {1});
    run.close("a", ending::refused);
    run.wait(2'000);
    run.send("a", {1});
    CHECK(run.rule() == "");
  }
  SUBCASE("or it is found") {
    run.wait(age_max_ms + 1);
    run.book.pinned(0, "a", run.now);
    run.send("a", {1});
    CHECK(run.rule() == "young when pinned");
  }
  SUBCASE("which nobody knows when the clock was moved") {
    run.book.ages_unknown();
    run.wait(age_max_ms + 1);
    run.book.pinned(0, "a", run.now);
    run.send("a", {1});
    CHECK(run.rule() == "");
  }
  SUBCASE("but for a dead letter that was put back since") {
    run.wait(age_max_ms);
    run.book.buried(0, bytes_of_event(1));
    run.book.owed_again(0, bytes_of_event(1), run.now);
    run.wait(1);
    run.book.pinned(0, "a", run.now);
    run.send("a", {1});
    CHECK(run.rule() == "");
  }
}

TEST_CASE("sim_age: an event that is young is not given up for its age") {
  auto run = of_age();
  run.store({1});
  SUBCASE("but an old one is") {
    run.wait(age_max_ms + 1);
    run.book.outlived(0, bytes_of_event(1), run.now);
    CHECK(run.rule() == "");
  }
  SUBCASE("or it is found") {
    run.wait(age_max_ms);
    run.book.outlived(0, bytes_of_event(1), run.now);
    CHECK(run.rule() == "given up with cause");
  }
  SUBCASE("whatever an old copy holds") {
    run.wait(age_max_ms);
    run.book.put_back(run.book.mark(), run.now);
    run.wait(1);
    run.book.outlived(0, bytes_of_event(1), run.now);
    CHECK(run.rule() == "");
  }
}
