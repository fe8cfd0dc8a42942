#include "tests/sim/ledger_fixture.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::sim;

TEST_CASE("ledger: nothing is sent to a paused bridge") {
  told run;
  run.store({1});
  run.book.pause_asked(0);
  run.book.paused(0);
  run.wait(900'000);
  CHECK(run.rule().empty()); // Nobody may expect progress.
  SUBCASE("until it is resumed") {
    run.book.resume_asked(0);
    run.deliver("a", {1});
    CHECK(run.rule_at_end().empty());
  }
  SUBCASE("else it is told") {
    run.send("a", {1});
    CHECK(run.rule() == "paused is paused");
  }
  SUBCASE("not a ping either") {
    run.book.asked(0, run.now);
    CHECK(run.rule() == "paused is paused");
  }
  SUBCASE("and it moves when it is resumed") {
    run.book.resume_asked(0);
    run.book.resumed(0, run.now);
    CHECK(run.rule().empty());
    run.wait(5'000);
    CHECK(run.rule() == "moves on");
  }
}

TEST_CASE("ledger: a pause that nobody confirmed forbids nothing") {
  told run;
  run.store({1});
  run.book.pause_asked(0);
  run.send("a", {1});
  CHECK(run.rule().empty());
}

TEST_CASE("ledger: a retry ends our own back-off and no wish") {
  told run;
  run.store({1});
  run.send("a", {1});
  SUBCASE("our own") {
    run.close("a", ending::refused);
    run.wait(10);
    run.book.retry_asked(0, false);
    run.send("a", {1});
    CHECK(run.rule().empty());
  }
  SUBCASE("a wish") {
    run.close("a", ending::refused, 60'000);
    run.wait(10);
    run.book.retry_asked(0, false);
    run.send("a", {1});
    CHECK(run.rule() == "as the bridge asked");
  }
  SUBCASE("a wish, by force") {
    run.close("a", ending::refused, 60'000);
    run.wait(10);
    run.book.retry_asked(0, true);
    run.send("a", {1});
    CHECK(run.rule().empty());
  }
  SUBCASE("and it moves") {
    run.close("a", ending::refused, 60'000);
    run.wait(10);
    run.book.retry_asked(0, true);
    run.book.retried(0, true, run.now);
    run.wait(5'000);
    CHECK(run.rule() == "moves on");
  }
}

TEST_CASE("ledger: a skip needs to be asked for and keeps all") {
  told run;
  run.store({1});
  run.store({2});
  run.send("a", {1, 2});
  run.close("a", ending::refused);
  SUBCASE("whole") {
    run.book.skip_asked(0, "a");
    run.book.buried(0, bytes_of_event(1));
    run.book.buried(0, bytes_of_event(2));
    run.book.ended(0, "a", "dead_letter");
    CHECK(run.rule_at_end().empty());
  }
  SUBCASE("not asked for") {
    run.book.buried(0, bytes_of_event(1));
    run.book.buried(0, bytes_of_event(2));
    run.book.ended(0, "a", "dead_letter");
    CHECK(run.rule() == "with cause");
  }
  SUBCASE("another was meant") {
    run.book.skip_asked(0, "b");
    run.book.buried(0, bytes_of_event(1));
    run.book.buried(0, bytes_of_event(2));
    run.book.ended(0, "a", "dead_letter");
    CHECK(run.rule() == "with cause");
  }
  SUBCASE("one is lost") {
    run.book.skip_asked(0, "a");
    run.book.buried(0, bytes_of_event(1));
    run.book.ended(0, "a", "dead_letter");
    CHECK(run.rule() == "what is skipped is kept");
  }
}
