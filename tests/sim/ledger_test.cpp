#include "tests/sim/ledger.hpp"

#include "schema/limits.hpp"

#include <doctest/doctest.h>

#include <fmt/format.h>

// Each checker is shown a run that is right, and the same with one thing wrong.
using namespace weir;
using namespace weir::sim;

namespace {

std::string bytes_of_event(uint64_t no) {
  return fmt::format(R"({{"event_id":"$e{}",{}}})", no, written_number(no));
}

offered_element event(uint64_t no) {
  element item;
  item.bytes = bytes_of_event(no);
  return {no, item};
}

std::string body_with(const std::vector<uint64_t>& numbers) {
  std::string items;
  for (const auto no : numbers)
    items += (items.empty() ? "" : ",") + bytes_of_event(no);
  return R"({"events":[)" + items + "]}";
}

/// A ledger of one bridge, told of things in few words.
struct told {
  ledger book{std::vector<bridge_rules>(1)};
  milliseconds now{1'000};

  uint64_t offer(const std::vector<uint64_t>& numbers) {
    std::vector<offered_element> elements;
    for (const auto no : numbers)
      elements.push_back(event(no));
    return book.offer(0, elements);
  }
  void store(const std::vector<uint64_t>& numbers) {
    book.answered(offer(numbers), true, now);
  }
  void send(const std::string& id, const std::vector<uint64_t>& numbers) {
    book.sent(0, id, body_with(numbers), now);
  }
  void close(const std::string& id, ending how, int64_t wish_ms = 0) {
    if (how == ending::accepted)
      book.processed(0, id);
    book.closed(0, id, how, milliseconds{wish_ms}, now);
  }
  void deliver(const std::string& id, const std::vector<uint64_t>& numbers) {
    send(id, numbers);
    close(id, ending::accepted);
    book.ended(0, id, "delivered");
  }
  /// Refuses `times` times, each after the pause of the one before.
  void refuse(const std::string& id, int times) {
    for (int64_t pause_ms = 1'000; times > 0; --times, pause_ms *= 2) {
      send(id, {1});
      close(id, ending::refused);
      if (times > 1)
        wait(pause_ms);
    }
  }
  void wait(int64_t ms) {
    now += milliseconds{ms};
  }
  /// The rule that was broken; empty when none was.
  std::string rule() {
    book.check_progress(now);
    return book.found() ? book.found()->rule : "";
  }
  std::string rule_at_end() {
    book.check_end();
    return rule();
  }
};

} // namespace

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
