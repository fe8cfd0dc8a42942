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
  SUBCASE("a wish, by force that was refused, and a sign of life") {
    run.close("a", ending::refused, 60'000);
    run.wait(10);
    run.book.retry_asked(0, true);
    run.book.alive(0, run.now);
    run.wait(50'000);
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

namespace {

/// Event 1 was rejected for good, and 2 is owed.
struct one_letter : told {
  one_letter() {
    store({1});
    send("a", {1});
    for (int each = 0; each < 3; ++each) {
      if (each > 0) {
        wait(100);
        send("a", {1});
      }
      close("a", ending::rejected);
    }
    book.buried(0, bytes_of_event(1));
    book.ended(0, "a", "dead_letter");
    wait(100);
    store({2});
  }
};

} // namespace

TEST_CASE("ledger: a dead letter comes no more, unless it is owed again") {
  one_letter run;
  SUBCASE("it stays") {
    run.deliver("b", {2});
    CHECK(run.rule_at_end().empty());
  }
  SUBCASE("it comes all the same") {
    run.deliver("b", {2, 1});
    CHECK(run.rule() == "a dead letter stays one");
  }
  SUBCASE("it is owed again") {
    run.book.owed_again(0, bytes_of_event(1), run.now);
    run.deliver("b", {2, 1});
    CHECK(run.rule_at_end().empty());
  }
}

TEST_CASE("ledger: what is owed again comes, behind what was owed") {
  one_letter run;
  run.book.owed_again(0, bytes_of_event(1), run.now);
  SUBCASE("it never comes") {
    run.deliver("b", {2});
    CHECK(run.rule_at_end() == "nothing is missing");
  }
  SUBCASE("it comes before") {
    run.deliver("b", {1});
    CHECK(run.rule() == "order");
  }
  SUBCASE("it comes twice") {
    run.deliver("b", {2, 1});
    run.deliver("c", {1});
    CHECK(run.rule() == "once");
  }
}

TEST_CASE("ledger: nobody owes a letter that was never offered") {
  one_letter run;
  run.book.owed_again(0, bytes_of_event(9), run.now);
  CHECK(run.rule() == "invented");
}

TEST_CASE("ledger: who comes back counts no refusal of before") {
  told run;
  run.store({1});
  run.send("a", {1});
  run.book.removed(0, run.now);
  run.close("a", ending::refused);
  run.store({2});
  run.send("b", {2});
  run.close("b", ending::refused);
  run.wait(1'000);
  run.send("b", {2});
  CHECK(run.rule().empty());
}

TEST_CASE("ledger: who was not configured for a while begins its back-off") {
  told run;
  run.store({1});
  run.refuse("a", 3);
  run.book.left(0, run.now, milliseconds{0});
  run.send("a", {1});
  run.close("a", ending::refused);
  run.wait(1'000);
  run.send("a", {1});
  CHECK(run.rule().empty());
}

TEST_CASE("ledger: what is removed comes no more, unless it is offered again") {
  told run;
  run.store({1, 2});
  run.send("a", {1});
  SUBCASE("what was in flight may") {
    run.book.removed(0, run.now);
    run.close("a", ending::accepted);
    CHECK(run.rule_at_end().empty());
  }
  SUBCASE("what was not may not") {
    run.book.removed(0, run.now);
    run.close("a", ending::accepted);
    run.deliver("b", {2});
    CHECK(run.rule() == "what is removed is gone");
  }
  SUBCASE("what is offered again must") {
    run.book.removed(0, run.now);
    run.close("a", ending::accepted);
    run.store({1, 2});
    CHECK(run.rule_at_end() == "nothing is missing");
  }
  SUBCASE("under an id of its own") {
    run.book.removed(0, run.now);
    run.close("a", ending::accepted);
    run.store({2});
    run.send("a", {2});
    CHECK(run.rule() == "pinned bytes");
  }
}

TEST_CASE(
  "sim_ledger: a dead letter that was removed may be sent again from an "
  "old copy") {
  told run;
  run.store({1});
  const auto mark = run.book.mark();
  run.refuse("a-1", 1);
  run.book.skip_asked(0, "a-1");
  run.book.buried(0, bytes_of_event(1));
  run.book.ended(0, "a-1", "dead_letter");
  run.book.removed(0, run.now);
  run.book.put_back(mark, run.now);
  run.deliver("b-1", {1});
  CHECK(run.rule() == "");
}
