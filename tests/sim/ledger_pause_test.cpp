#include "schema/limits.hpp"
#include "tests/sim/ledger_fixture.hpp"

// When a queue may send, and when it must.
using namespace weir;
using namespace weir::sim;

TEST_CASE("sim_ledger: a send before the bridge wanted one is found") {
  told run;
  run.store({1});
  run.send("a-1", {1});
  run.close("a-1", ending::refused, 5'000);
  run.wait(4'999);
  run.send("a-1", {1});
  CHECK(run.rule() == "as the bridge asked");
}

TEST_CASE("sim_ledger: no wish is longer than the cap") {
  told run;
  run.store({1});
  run.send("a-1", {1});
  run.close("a-1", ending::refused, 100'000'000);
  run.now += limits::retry_after_max;
  run.send("a-1", {1});
  CHECK(run.rule() == "");
}

TEST_CASE("sim_ledger: a wish outlives the process if the store was well") {
  told run;
  run.store({1});
  run.send("a-1", {1});
  run.close("a-1", ending::refused, 60'000);
  run.wait(1);
  run.book.crashed(run.now, milliseconds{0});
  run.send("a-1", {1});
  CHECK(run.rule() == "as the bridge asked");
}

TEST_CASE("sim_ledger: a wish that could not be stored dies with the process") {
  told run;
  run.store({1});
  run.send("a-1", {1});
  run.close("a-1", ending::refused, 60'000);
  run.wait(1);
  run.book.crashed(run.now, run.now);
  run.send("a-1", {1});
  CHECK(run.rule() == "");
}

TEST_CASE("sim_ledger: a second refusal doubles the pause") {
  told run;
  run.store({1});
  run.send("a-1", {1});
  run.close("a-1", ending::refused);
  run.wait(1'000);
  run.send("a-1", {1});
  run.close("a-1", ending::refused);
  run.wait(1'500);
  CHECK(run.rule() == "");
  run.send("a-1", {1});
  CHECK(run.rule() == "backs off");
}

TEST_CASE("sim_ledger: a queue that owed nothing for long begins again") {
  told run;
  run.store({1});
  for (const int64_t pause_ms : {1'000, 2'000, 4'000, 8'000, 0}) {
    run.send("a-1", {1});
    run.close("a-1", ending::hang);
    run.wait(pause_ms);
  }
  run.book.alive(0, run.now);
  run.book.buried(0, bytes_of_event(1));
  run.book.ended(0, "a-1", "dead_letter");
  const auto hang_twice_after = [&](int64_t idle_ms) {
    run.wait(idle_ms);
    run.store({2});
    run.send("a-2", {2});
    run.close("a-2", ending::hang);
    run.wait(1'000);
    run.send("a-2", {2});
  };
  SUBCASE("with the first pause") {
    hang_twice_after(15'000);
    CHECK(run.rule() == "");
  }
  SUBCASE("and not before") {
    hang_twice_after(14'999);
    CHECK(run.rule() == "backs off");
  }
}

TEST_CASE("sim_ledger: a queue that stands still is found") {
  told run;
  run.store({1});
  run.wait(1'000);
  CHECK(run.rule() == "");
  run.wait(1);
  CHECK(run.rule() == "moves on");
}

TEST_CASE("sim_ledger: a pause that is too long is found") {
  told run;
  run.store({1});
  run.send("a-1", {1});
  run.close("a-1", ending::refused);
  run.wait(2'200);
  CHECK(run.rule() == "");
  run.wait(2);
  CHECK(run.rule() == "moves on");
}

TEST_CASE("sim_ledger: the end of our own transport counts for nothing") {
  told run;
  run.store({1});
  run.refuse("a-1", 3); // 1, 2 and 4 s.
  run.wait(4'800);
  run.send("a-1", {1});
  run.close("a-1", ending::cut);
  SUBCASE("so that a queue which waits for it is found") {
    run.wait(1'001);
    CHECK(run.rule() == "moves on");
  }
  SUBCASE("and the next refusal is the fourth") {
    run.wait(200);
    run.send("a-1", {1});
    run.close("a-1", ending::refused);
    run.wait(9'600 + 1'000);
    CHECK(run.rule() == "");
    run.wait(1);
    CHECK(run.rule() == "moves on");
  }
}

TEST_CASE("sim_ledger: a bridge that shows life need not wait") {
  told run;
  run.store({1});
  run.refuse("a-1", 5); // Then 16 s.
  run.wait(1'000);
  SUBCASE("now") {
    run.book.alive(0, run.now);
    run.wait(1'001);
    CHECK(run.rule() == "moves on");
  }
  SUBCASE("nor after a restart") {
    run.book.alive(0, run.now);
    run.wait(1);
    run.book.crashed(run.now, milliseconds{0});
    run.wait(1'001);
    CHECK(run.rule() == "moves on");
  }
  SUBCASE("but when the store could not keep that") {
    run.book.alive(0, run.now);
    run.wait(1);
    run.book.crashed(run.now, run.now);
    run.wait(5'000);
    CHECK(run.rule() == "");
  }
  SUBCASE("but when it died as it was told") {
    run.book.alive(0, run.now);
    run.book.alive_unheard(run.now);
    run.wait(5'000);
    CHECK(run.rule() == "");
  }
}

TEST_CASE("sim_ledger: what a bridge asked for is not ended by a ping") {
  told run;
  run.store({1});
  run.send("a-1", {1});
  run.close("a-1", ending::refused, 60'000);
  run.wait(1'000);
  run.book.alive(0, run.now);
  SUBCASE("so that a send before it is found") {
    run.send("a-1", {1});
    CHECK(run.rule() == "as the bridge asked");
  }
  SUBCASE("and a queue that waits for it does right") {
    run.wait(59'000 + 1'000);
    CHECK(run.rule() == "");
    run.wait(1);
    CHECK(run.rule() == "moves on");
  }
}

TEST_CASE("sim_ledger: an old copy holds the pause of its day") {
  told run;
  run.store({1});
  run.send("a-1", {1});
  run.close("a-1", ending::refused, 60'000);
  const auto mark = run.book.mark();
  run.wait(1'000);
  run.book.alive(0, run.now); // Which ends what goes beyond the wish.
  run.book.put_back(mark, run.now);
  run.wait(59'000 + 5'000 + 1'000);
  CHECK(run.rule() == "");
  run.wait(1);
  CHECK(run.rule() == "moves on");
}

TEST_CASE("sim_ledger: a ping may come before the answer that began a pause") {
  told run;
  run.store({1});
  run.refuse("a-1", 5);
  run.book.alive(0, run.now);
  run.wait(16'000);
  CHECK(run.rule() == "");
}

TEST_CASE("sim_ledger: nobody expects progress in an upheaval") {
  told run;
  run.store({1});
  run.book.upheaval(milliseconds{60'000});
  run.wait(59'000);
  CHECK(run.rule() == "");
}

TEST_CASE("sim_ledger: a wish that may not have been heard may be obeyed") {
  told run;
  run.store({1});
  run.send("a-1", {1});
  run.book.closed(0, "a-1", ending::refused, milliseconds{60'000}, run.now,
                  false);
  run.wait(10'000);
  run.book.alive(0, run.now);
  run.wait(49'000);
  CHECK(run.rule() == "");
  run.wait(3'000);
  CHECK(run.rule() == "moves on");
}
