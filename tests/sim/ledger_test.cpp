#include "tests/sim/ledger_fixture.hpp"

using namespace weir;
using namespace weir::sim;

TEST_CASE("sim_ledger: a run in which all is right is left alone") {
  told run;
  run.store({1, 2});
  run.send("a-1", {1, 2});
  run.close("a-1", ending::refused);
  run.wait(1'100);
  run.deliver("a-1", {1, 2});
  run.store({3});
  run.deliver("a-2", {3});
  CHECK(run.rule_at_end() == "");
  CHECK(run.book.transactions_delivered() == 2);
}

TEST_CASE("sim_ledger: what was acknowledged and never arrives is found") {
  told run;
  run.store({1, 2});
  run.deliver("a-1", {1});
  CHECK(run.rule_at_end() == "nothing is missing");
}

TEST_CASE("sim_ledger: what was not acknowledged may be missing") {
  told run;
  run.book.answered(run.offer({1}), false, run.now);
  CHECK(run.rule_at_end() == "");
}

TEST_CASE("sim_ledger: an offer that is never answered is found") {
  told run;
  run.offer({1});
  CHECK(run.rule_at_end() == "answered once");
}

TEST_CASE("sim_ledger: an offer that is answered twice is found") {
  told run;
  const auto offer = run.offer({1});
  run.book.answered(offer, false, run.now);
  run.book.answered(offer, false, run.now);
  CHECK(run.rule() == "answered once");
}

TEST_CASE("sim_ledger: a later event that comes first is found") {
  told run;
  run.store({1});
  run.store({2});
  run.deliver("a-1", {2});
  CHECK(run.rule() == "order");
}

TEST_CASE("sim_ledger: events of one offer keep their order") {
  told run;
  run.store({1, 2});
  run.deliver("a-1", {2, 1});
  CHECK(run.rule() == "order");
}

TEST_CASE("sim_ledger: offers that crossed may come in either order") {
  told run;
  const auto first = run.offer({1});
  const auto second = run.offer({2});
  run.book.answered(first, true, run.now);
  run.book.answered(second, true, run.now);
  run.deliver("a-1", {2});
  run.deliver("a-2", {1});
  CHECK(run.rule() == "");
}

TEST_CASE("sim_ledger: two in flight are found") {
  told run;
  run.store({1});
  run.send("a-1", {1});
  run.send("a-1", {1});
  CHECK(run.rule() == "one in flight");
}

TEST_CASE("sim_ledger: other bytes under one id are found") {
  told run;
  run.store({1, 2});
  run.send("a-1", {1});
  run.close("a-1", ending::refused);
  run.wait(1'100);
  run.send("a-1", {1, 2});
  CHECK(run.rule() == "pinned bytes");
}

TEST_CASE("sim_ledger: an id that is sent after its end is found") {
  told run;
  run.store({1});
  run.deliver("a-1", {1});
  run.send("a-1", {1});
  CHECK(run.rule() == "ended for good");
}

TEST_CASE("sim_ledger: a next id before the end of the one before is found") {
  told run;
  run.store({1, 2});
  run.send("a-1", {1});
  run.close("a-1", ending::refused);
  run.wait(1'100);
  run.send("a-2", {1});
  CHECK(run.rule() == "ended for good");
}

TEST_CASE("sim_ledger: an event that is done again under another id is found") {
  told run;
  run.store({1});
  run.deliver("a-1", {1});
  run.deliver("a-2", {1});
  CHECK(run.rule() == "once");
}

TEST_CASE("sim_ledger: the same id twice is no repetition of an event") {
  told run;
  run.store({1});
  run.send("a-1", {1});
  run.book.processed(0, "a-1");
  run.close("a-1", ending::hang);
  run.wait(1'100);
  run.deliver("a-1", {1});
  CHECK(run.rule_at_end() == "");
}

TEST_CASE("sim_ledger: an element that nobody offered is found") {
  told run;
  run.deliver("a-1", {7});
  CHECK(run.rule() == "invented");
}

TEST_CASE("sim_ledger: altered bytes of an element are found") {
  told run;
  run.store({1});
  run.book.sent(0, "a-1",
                R"({"events":[{"event_id":"$e1","more":1,"weir_no":1}]})",
                run.now);
  CHECK(run.rule() == "unchanged");
}

TEST_CASE(
  "sim_ledger: an acknowledgement that the bridge never gave is found") {
  told run;
  run.store({1});
  run.send("a-1", {1});
  run.close("a-1", ending::refused);
  run.book.ended(0, "a-1", "delivered");
  CHECK(run.rule() == "with cause");
}

TEST_CASE("sim_ledger: content is cut after three rejections and not before") {
  told run;
  run.store({1, 2});
  for (int tries = 0; tries < 2; ++tries) {
    run.send("a-1", {1, 2});
    run.close("a-1", ending::rejected);
    run.wait(1'000);
  }
  SUBCASE("before") {
    run.book.ended(0, "a-1", "retired");
    CHECK(run.rule() == "with cause");
  }
  SUBCASE("after, and what is left of it after one") {
    run.send("a-1", {1, 2});
    run.close("a-1", ending::rejected);
    run.book.ended(0, "a-1", "retired");
    run.deliver("a-2", {1});
    run.deliver("a-3", {2});
    CHECK(run.rule_at_end() == "");
  }
}

TEST_CASE("sim_ledger: an element that was given up without need is found") {
  told run;
  run.store({1});
  run.send("a-1", {1});
  run.close("a-1", ending::rejected);
  run.book.buried(0, bytes_of_event(1));
  run.book.ended(0, "a-1", "dead_letter");
  CHECK(run.rule() == "with cause");
}

TEST_CASE("sim_ledger: a dead letter is not missing") {
  told run;
  run.store({1});
  for (int tries = 0; tries < 3; ++tries) {
    run.send("a-1", {1});
    run.close("a-1", ending::rejected);
    run.wait(60'000);
    run.book.upheaval(run.now);
  }
  run.book.buried(0, bytes_of_event(1));
  run.book.ended(0, "a-1", "dead_letter");
  CHECK(run.rule_at_end() == "");
}

TEST_CASE("sim_ledger: transactions keep their bounds") {
  bridge_rules rules;
  rules.events_max = 2;
  told run;
  run.book = ledger{{rules}};
  run.store({1, 2, 3});
  run.send("a-1", {1, 2, 3});
  CHECK(run.rule() == "bounds");
}

TEST_CASE("sim_ledger: an old copy takes back what came after it") {
  told run;
  run.store({1});
  run.deliver("a-1", {1});
  const auto mark = run.book.mark();
  run.store({2});
  run.store({3});
  run.deliver("a-2", {2});
  run.book.put_back(mark, run.now);
  SUBCASE("and nothing is missing") {
    CHECK(run.rule_at_end() == "");
  }
  SUBCASE("but an id stands for its bytes all the same") {
    run.store({4});
    run.send("a-2", {4});
    CHECK(run.rule() == "pinned bytes");
  }
}

TEST_CASE("sim_ledger: an offer awaits its answer, whoever made it") {
  told run;
  const auto first = run.offer({1});
  const auto second = run.offer({2}); // Of a homeserver that was restarted.
  run.book.answered(second, true, run.now);
  CHECK(run.book.awaits_answer(0));
  run.book.answered(first, false, run.now);
  CHECK(!run.book.awaits_answer(0));
}

TEST_CASE("sim_ledger: what is cut for its size alone makes no part suspect") {
  told run;
  run.store({1, 2, 3});
  const auto hang = [&](const std::string& id, std::vector<uint64_t> numbers) {
    run.send(id, numbers);
    run.close(id, ending::hang);
    run.wait(100'000);
  };
  run.book.upheaval(milliseconds{10'000'000});
  run.send("a", {1, 2, 3});
  run.close("a", ending::too_big);
  SUBCASE("so that one hang is no cause") {
    run.book.ended(0, "a", "retired");
    hang("b", {1, 2});
    run.book.ended(0, "b", "retired");
    CHECK(run.rule() == "with cause");
  }
  SUBCASE("but it is when the whole hung as often as it may") {
    for (int i = 0; i < 5; ++i)
      hang("a", {1, 2, 3});
    run.book.ended(0, "a", "retired");
    hang("b", {1, 2});
    run.book.ended(0, "b", "retired");
    CHECK(run.rule() == "");
  }
}
