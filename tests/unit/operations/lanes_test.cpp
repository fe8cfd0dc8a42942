#include "tests/unit/operations/fixture.hpp"

using namespace weir;
using namespace weir::test;

namespace {

std::string typing(const std::string& room, int n = 0) {
  return R"({"type":"m.typing","room_id":")" + room + R"(","n":)"
    + std::to_string(n) + "}";
}

/// A transaction with these members and no events.
offered with(const std::string& hs_txn_id, const std::string& members) {
  return {hs_txn_id, "{" + members + "}"};
}

offered ephemeral(const std::string& hs_txn_id, const std::string& items) {
  return with(hs_txn_id, R"("ephemeral":[)" + items + "]");
}

/// A queue with `$0` in flight, so that what comes waits behind a pin.
template <class Where>
txn_id busy(house<Where>& on) {
  return on.accept_events("t0", {"$0"}).pinned.value().id;
}

/// Bodies of all that is owed, from now on delivered at once.
template <class Where>
std::vector<std::string> drained(house<Where>& on,
                                 const transaction_bounds& bounds = {}) {
  std::vector<std::string> bodies;
  for (auto next = on.load("a", bounds).pinned; next;) {
    bodies.emplace_back(next->body.view());
    settle_transaction request;
    request.appservice = {"a"};
    request.id = next->id;
    request.bounds = bounds;
    next = on.settle(request).next;
  }
  check_empty(on.row_of().value());
  return bodies;
}

transaction_settled ended(auto& on, const txn_id& id, settlement how,
                          const transaction_bounds& bounds) {
  settle_transaction request;
  request.appservice = {"a"};
  request.id = id;
  request.how = how;
  request.bounds = bounds;
  return on.settle(request);
}

transaction_bounds nothing_is_young() {
  transaction_bounds bounds;
  bounds.lanes.typing_age = 0ms;
  bounds.lanes.ephemeral_age = 0ms;
  return bounds;
}

bool has(std::string_view body, std::string_view part) {
  return body.find(part) != std::string_view::npos;
}

using bodies = std::vector<std::string>;

} // namespace

TEST_CASE_TEMPLATE("lanes: ephemeral elements go when all events go", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  busy(on);
  on.accept(ephemeral("t1", typing("!a")));
  on.accept_events("t2", ids_between(1, 150));
  on.accept(ephemeral("t3", typing("!b")));
  const auto sent = drained(on);
  REQUIRE(sent.size() == 3);
  CHECK(!has(sent[0], "m.typing"));
  CHECK(!has(sent[1], "m.typing"));
  CHECK(ids_in(sent[2]).size() == 50);
  CHECK(
    has(sent[2], R"("ephemeral":[)" + typing("!a") + "," + typing("!b") + "]"));
}

TEST_CASE_TEMPLATE("lanes: of ephemeral elements the last word waits", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  busy(on);
  on.accept(ephemeral("t1", typing("!a", 1) + "," + typing("!b", 2)));
  on.accept(ephemeral("t2", typing("!a", 3) + "," + typing("!a", 4)));
  CHECK(on.row_of()->waiting == 2);
  CHECK(on.row_of()->merged == 2);
  CHECK(on.owed().size() == 1);
  CHECK(drained(on).at(1)
        == R"({"events":[],"ephemeral":[)" + typing("!b", 2) + ","
          + typing("!a", 4) + "]}");
}

TEST_CASE_TEMPLATE("lanes: what is pinned is neither merged nor aged", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto pinned
    = on.accept(with("t1",
                     R"("ephemeral":[)" + typing("!a", 1)
                       + R"(],"device_lists":{"changed":["@a"]},)"
                         R"("to_device":[1])"))
        .pinned.value();
  CHECK(pinned.elements == 3);
  auto next = with("t2",
                   R"("ephemeral":[)" + typing("!a", 2)
                     + R"(],"device_lists":{"left":["@a"]},)"
                       R"("to_device":[1])");
  next.bounds = nothing_is_young();
  on.accept(next);
  forget_old forget;
  forget.appservice = appservice_id{"a"};
  forget.bounds = nothing_is_young();
  must(on.ask(operations::forget, forget));
  CHECK(on.load("a", nothing_is_young()).pinned->body == pinned.body);
  CHECK(!on.load().corrupt);
  CHECK(on.settle(pinned.id).next->body.view()
        == R"({"events":[],"to_device":[1],"device_lists":{"left":["@a"]}})");
}

TEST_CASE_TEMPLATE("lanes: what is too old is dropped when the next is pinned",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto first = busy(on);
  on.accept(ephemeral("t1", typing("!a") + R"(,{"type":"m.receipt"})"));
  on.accept_events("t2", {"$1"});
  transaction_bounds bounds;
  bounds.lanes.typing_age = 0ms;
  const auto next = ended(on, first, settlement::delivered, bounds).next;
  CHECK(next->body.view()
        == R"({"events":[)" + event_json("$1")
          + R"(],"ephemeral":[{"type":"m.receipt"}]})");
  CHECK(on.row_of()->dropped == 1);
  on.accept(ephemeral("t3", typing("!a")));
  CHECK(!ended(on, next->id, settlement::delivered, bounds).next);
  check_empty(on.row_of().value());
  CHECK(on.waiting().empty());
}

TEST_CASE_TEMPLATE("lanes: nothing but what is too old is nothing owed", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto first = busy(on);
  on.accept(ephemeral("t1", typing("!a")));
  on.change_queue([](queue_row& row) { row.pinned.reset(); });
  ended(on, on.load().pinned->id, settlement::bisected, {});
  CHECK(on.load().pinned->id != first);
  CHECK(
    !ended(on, on.load().pinned->id, settlement::delivered, nothing_is_young())
       .next);
  CHECK(!on.load().pinned);
  check_empty(on.row_of().value());
}

TEST_CASE_TEMPLATE("lanes: what waits is forgotten when it is too old", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  busy(on);
  on.accept(ephemeral("t1", typing("!a") + R"(,{"type":"m.receipt"})"));
  forget_old request;
  request.appservice = appservice_id{"a"};
  CHECK(must(on.ask(operations::forget, request)).rows == 0);
  request.bounds.lanes.typing_age = 0ms;
  CHECK(must(on.ask(operations::forget, request)).rows == 1);
  CHECK(must(on.ask(operations::forget, request)).rows == 0);
  REQUIRE(on.waiting().size() == 1);
  CHECK(on.waiting()[0].bytes == R"({"type":"m.receipt"})");
  CHECK(on.row_of()->waiting == 1);
  CHECK(on.row_of()->dropped == 1);
}

TEST_CASE_TEMPLATE("lanes: beyond the bound the oldest that wait go", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  busy(on);
  for (int n = 1; n <= 40; ++n) {
    auto what = ephemeral("t" + std::to_string(n), typing("!r", n));
    what.body = R"({"ephemeral":[{"n":)" + std::to_string(n) + "}]}";
    what.bounds.lanes.waiting_max = 3;
    on.accept(what);
  }
  const auto waits = on.waiting();
  REQUIRE(waits.size() == 3);
  CHECK(waits[0].bytes == R"({"n":38})");
  CHECK(waits[2].bytes == R"({"n":40})");
  CHECK(on.row_of()->dropped == 37);
  auto none = ephemeral("t41", "{}");
  none.bounds.lanes.waiting_max = 0;
  on.accept(none);
  CHECK(on.waiting().empty());
}

TEST_CASE_TEMPLATE("lanes: beyond the bound in bytes the oldest go", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  busy(on);
  const std::string large(limits::ephemeral_waiting_bytes_max / 2, 'x');
  for (int n = 1; n <= 5; ++n)
    on.accept(ephemeral("t" + std::to_string(n),
                        R"({"n":)" + std::to_string(n) + R"(,"x":")" + large
                          + R"("})"));
  REQUIRE(on.waiting().size() == 1);
  CHECK(has(on.waiting()[0].bytes, R"({"n":5,)"));
  CHECK(on.row_of()->waiting_bytes == on.waiting()[0].bytes.size());
}

TEST_CASE_TEMPLATE("lanes: after a split too old ones are not sent anew", Where,
                   WEIR_EVERY_STORE) {
  for (const auto how : {settlement::split, settlement::bisected}) {
    house<Where> on;
    auto what = offered{"t1", events_json(ids_between(1, 3))};
    what.body.insert(1, R"("ephemeral":[)" + typing("!a") + "],");
    const auto pinned = on.accept(what).pinned.value();
    CHECK(pinned.elements == 4);
    auto next = ended(on, pinned.id, how, nothing_is_young()).next;
    std::vector<std::string> ids;
    for (; next;
         next = ended(on, next->id, settlement::delivered, nothing_is_young())
                  .next) {
      CHECK(!has(next->body.view(), "m.typing"));
      for (auto& each : ids_in(next->body.view()))
        ids.push_back(each);
    }
    CHECK(ids == ids_between(1, 3));
    check_empty(on.row_of().value());
    CHECK(on.owed().empty());
  }
}

TEST_CASE_TEMPLATE("lanes: after a split young ones are sent with the rest",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  auto what = offered{"t1", events_json(ids_between(1, 3))};
  what.body.insert(1, R"("ephemeral":[)" + typing("!a") + "],");
  on.settle(on.accept(what).pinned->id, settlement::bisected);
  const auto sent = drained(on);
  CHECK(has(sent.back(), "m.typing"));
}

TEST_CASE_TEMPLATE("lanes: changed and then left is left only", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  busy(on);
  on.accept(with("t1", R"("device_lists":{"changed":["@a","@b"],"left":[]})"));
  on.accept_events("t2", {"$1"});
  on.accept(with("t3", R"("device_lists":{"left":["@a"]})"));
  CHECK(on.owed().size() == 3);
  CHECK(on.row_of()->owed_others == 1);
  CHECK(on.row_of()->merged == 1);
  CHECK(drained(on).at(1)
        == R"({"events":[)" + event_json("$1")
          + R"(],"device_lists":{"changed":["@b"],"left":["@a"]}})");
}

TEST_CASE_TEMPLATE("lanes: of key counts the last word of each device goes",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  busy(on);
  const std::string counts
    = R"("org.matrix.msc3202.device_one_time_keys_count")";
  const std::string misspelt
    = R"("org.matrix.msc3202.device_one_time_key_counts")";
  const std::string fallback = R"("device_unused_fallback_key_types")";
  on.accept(with("t1",
                 counts + R"(:{"@a":{"D":{"k":9}}},)" + misspelt
                   + R"(:{"@a":{"D":{"k":9}}},)" + fallback
                   + R"(:{"@a":{"D":["k"]}})"));
  on.accept(with("t2",
                 counts + R"(:{"@a":{"D":{"k":8}}},)" + misspelt
                   + R"(:{"@a":{"D":{"k":8},"E":{}}},)" + fallback
                   + R"(:{"@a":{"D":[]}})"));
  CHECK(drained(on).at(1)
        == R"({"events":[],)" + counts + R"(:{"@a":{"D":{"k":8}}},)" + misspelt
          + R"(:{"@a":{"D":{"k":8},"E":{}}},)" + fallback
          + R"(:{"@a":{"D":[]}}})");
}

TEST_CASE_TEMPLATE("lanes: a bridge that is away is owed one value a key",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  busy(on);
  for (int n = 1; n <= 30; ++n) {
    const auto id = std::to_string(n);
    on.accept(with("t" + id,
                   R"("device_lists":{"changed":["@)" + std::to_string(n % 4)
                     + R"("]},"device_one_time_keys_count":{"@a":{"D":{"k":)"
                     + id + "}}}"));
  }
  CHECK(on.owed().size() == 3);
  CHECK(has(drained(on).at(1), R"({"@a":{"D":{"k":30}}})"));
}

TEST_CASE_TEMPLATE("lanes: to-device messages are all kept, in their order",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  busy(on);
  for (const auto* id : {"t1", "t2", "t3"})
    on.accept(with(id,
                   std::string{R"("to_device":[{"to_user_id":"@a","n":1},)"}
                     + R"({"n":")" + id + R"("}])"));
  CHECK(drained(on).at(1)
        == R"({"events":[],"to_device":[{"to_user_id":"@a","n":1},{"n":"t1"},)"
           R"({"to_user_id":"@a","n":1},{"n":"t2"},)"
           R"({"to_user_id":"@a","n":1},{"n":"t3"}]})");
}

TEST_CASE_TEMPLATE("lanes: what came with unknown keys stays as it came", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  busy(on);
  const auto lists = [](const std::string& user) {
    return R"("device_lists":{"changed":[")" + user + R"("],"left":[]})";
  };
  on.accept(
    with("t1", R"("ephemeral":[)" + typing("!a", 1) + "]," + lists("@a")));
  on.accept(with("t2",
                 R"("ephemeral":[)" + typing("!a", 2) + "]," + lists("@a")
                   + R"(,"org.example":1)"));
  on.accept(
    with("t3", R"("ephemeral":[)" + typing("!a", 3) + "]," + lists("@b")));
  const bodies expected{R"({"events":[],)" + lists("@a") + "}",
                        R"({"events":[],"ephemeral":[)" + typing("!a", 2) + "],"
                          + lists("@a") + R"(,"org.example":1})",
                        R"({"events":[],"ephemeral":[)" + typing("!a", 3) + "],"
                          + lists("@b") + "}"};
  auto sent = drained(on);
  sent.erase(sent.begin());
  CHECK(sent == expected);
}

TEST_CASE_TEMPLATE("lanes: what waits does not make a queue full", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  busy(on);
  auto what = ephemeral("t1", R"({"n":1},{"n":2})");
  what.queue_elements_max = 2;
  CHECK(on.accept(what).result == accept_result::stored);
  what.hs_txn_id = "t2";
  what.body = R"({"ephemeral":[{"n":3}]})";
  CHECK(on.accept(what).result == accept_result::stored);
  CHECK(on.waiting().size() == 3);
}

TEST_CASE_TEMPLATE("lanes: mirrored keys belong to the pin", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  transaction_bounds mirrored;
  mirrored.lanes.mirror = true;
  auto what = ephemeral("t1", typing("!a"));
  what.bounds = mirrored;
  const auto pinned = on.accept(what).pinned.value();
  CHECK(on.row_of()->pinned->format == mirrored_format);
  CHECK(pinned.body.view()
        == R"({"events":[],"ephemeral":[)" + typing("!a")
          + R"(],"de.sorunome.msc2409.ephemeral":[)" + typing("!a") + "]}");
  // The setting is changed: not for what is pinned.
  on.open();
  CHECK(on.load().pinned->body == pinned.body);
  const auto next = on.settle(pinned.id, settlement::bisected).next.value();
  CHECK(next.body.view()
        == R"({"events":[],"ephemeral":[)" + typing("!a") + "]}");
  on.accept(with("t2", R"("de.sorunome.msc2409.ephemeral":[{}])"));
  CHECK(ended(on, next.id, settlement::delivered, mirrored).next->body.view()
        == R"({"events":[],"de.sorunome.msc2409.ephemeral":[{}],)"
           R"("ephemeral":[{}]})");
}

TEST_CASE_TEMPLATE("lanes: mirrored bytes count twice", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  busy(on);
  on.accept(ephemeral("t1", R"({"n":1111},{"n":2222},{"n":3333})"));
  transaction_bounds bounds;
  bounds.lanes.mirror = true;
  bounds.bytes = 120;
  const auto sent = drained(on, bounds);
  for (const auto& each : sent)
    CHECK(each.size() <= 120);
  CHECK(sent.size() == 3);
}
