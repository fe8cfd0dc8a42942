#include "tests/unit/operations/fixture.hpp"

#include "actors/policy/delivery.hpp"

#include <algorithm>
#include <functional>
#include <set>

using namespace weir;
using namespace weir::test;
using policy::delivery;
using policy::delivery_step;
using policy::verdict_kind;

/// The decisions and the operations together, as an appservice queue puts them
/// together, against a bridge of which we know what it rejects.
namespace {

using ids = std::vector<std::string>;
using bridge = std::function<verdict_kind(const owed_transaction&)>;

/// What came of draining one queue.
struct drained {
  ids delivered;
  uint64_t sends = 0;
  std::set<std::string> txns; ///< Every id that was sent.
  milliseconds took{0};
};

bool contains(const ids& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

bridge answers_if_contains(const ids& bad, verdict_kind kind) {
  return [bad, kind](const owed_transaction& what) {
    const auto events = ids_in(what.body.view());
    for (const auto& each : bad)
      if (contains(events, each))
        return kind;
    return verdict_kind::accepted;
  };
}

/// Drains the queue `to` until nothing is owed.
template <class Where>
drained drain(house<Where>& on, const std::string& to, const bridge& peer) {
  constexpr instant start{std::chrono::hours{1}};
  delivery decisions{{.pause = {.jitter = 0}, .poison = {}}};
  drained result;
  instant now = start;
  auto pinned = on.load(to).pinned;
  const auto take = [&](std::optional<owed_transaction> next) {
    pinned = std::move(next);
    if (pinned)
      decisions.pinned({pinned->id.value, pinned->elements, pinned->suspect},
                       now);
    else
      decisions.nothing_owed(now);
  };
  const auto send = [&] {
    const auto kind = peer(pinned.value());
    ++result.sends;
    REQUIRE(result.sends < 10'000);
    result.txns.insert(pinned->id.value);
    if (kind == verdict_kind::accepted)
      for (const auto& id : ids_in(pinned->body.view()))
        result.delivered.push_back(id);
    decisions.answered({kind, std::string{policy::to_string(kind)}, {}}, now,
                       now + 1ms, 0);
    now += 1ms;
  };
  take(pinned);
  while (true) {
    switch (decisions.next(now)) {
    case delivery_step::nothing:
      result.took = std::chrono::ceil<milliseconds>(now - start);
      return result;
    case delivery_step::rest: now = decisions.ready_at(); break;
    case delivery_step::prove_alive: decisions.proved(true, now); break;
    case delivery_step::send: send(); break;
    case delivery_step::settle: {
      settle_transaction request;
      request.appservice = {to};
      request.id = pinned->id;
      request.how = decisions.ending();
      request.reason = decisions.cause();
      request.attempts = decisions.attempts();
      const auto reply = on.settle(request);
      REQUIRE(!reply.not_current);
      REQUIRE(!reply.no_room);
      take(reply.next);
    }
    }
  }
}

ids without(ids all, const ids& bad) {
  std::erase_if(all, [&](const auto& each) { return contains(bad, each); });
  return all;
}

/// The letters of one appservice, oldest first.
template <class Where>
ids buried(house<Where>& on, const std::string& to) {
  ids found;
  for (const auto& letter : on.letters())
    if (letter.appservice == appservice_id{to})
      found.push_back(letter.item.event_id);
  return found;
}

} // namespace

TEST_CASE_TEMPLATE("bisect: one bad event is found wherever it stands", Where,
                   WEIR_EVERY_STORE) {
  constexpr uint64_t events = 33;
  house<Where> on;
  const auto all = ids_between(1, events);
  for (uint64_t position = 1; position <= events; ++position) {
    CAPTURE(position);
    const ids bad{"$" + std::to_string(position)};
    const auto to = "p" + std::to_string(position);
    on.accept({"t1", events_json(all), to});
    const auto result
      = drain(on, to, answers_if_contains(bad, verdict_kind::rejected));
    CHECK(result.delivered == without(all, bad));
    auto reader = on.where.connect_reader();
    const auto letters = must(reader->dead_letters(appservice_id{to}, {}));
    REQUIRE(letters.size() == 1);
    CHECK(letters[0].item.event_id == bad[0]);
    CHECK(letters[0].seq == position);
    CHECK(letters[0].reason == "rejected");
    CHECK(letters[0].attempts == 3);
    check_empty(on.row_of(to).value());
    // Three tries of the whole and of the bad one, and two for each halving.
    CHECK(result.sends <= 3 + 2 * 6 + 3);
    // 1 s and 2 s twice over, more only where no half was accepted between.
    CHECK(result.took < 16s);
  }
}

TEST_CASE_TEMPLATE("bisect: one bad event among a thousand costs itself", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  for (uint64_t n = 0; n < 20; ++n)
    on.accept_events("t" + std::to_string(n),
                     ids_between(50 * n + 1, 50 * n + 50));
  const ids bad{"$668"};
  const auto result
    = drain(on, "a", answers_if_contains(bad, verdict_kind::rejected));
  CHECK(result.delivered == without(ids_between(1, 1'000), bad));
  CHECK(buried(on, "a") == bad);
  check_empty(on.row_of().value());
  CHECK(result.sends < 40);
}

TEST_CASE_TEMPLATE("bisect: several bad events are found one by one", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto all = ids_between(1, 64);
  for (const ids& bad :
       {ids{"$1", "$2", "$3"}, ids{"$1", "$64"}, ids{"$31", "$32", "$33"},
        ids{"$63", "$64"}, ids{"$5", "$20", "$21", "$50"}, all}) {
    const auto to = "b" + std::to_string(bad.size()) + bad.front();
    on.accept({"t1", events_json(all), to});
    const auto result
      = drain(on, to, answers_if_contains(bad, verdict_kind::rejected));
    CHECK(result.delivered == without(all, bad));
    CHECK(buried(on, to) == bad);
    check_empty(on.row_of(to).value());
  }
}

TEST_CASE_TEMPLATE("bisect: an event that hangs the bridge is found as well",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto all = ids_between(1, 20);
  for (const ids& bad : {ids{"$1"}, ids{"$13"}, ids{"$20"}}) {
    const auto to = "h" + bad.front();
    on.accept({"t1", events_json(all), to});
    const auto result
      = drain(on, to, answers_if_contains(bad, verdict_kind::no_verdict_hang));
    CHECK(result.delivered == without(all, bad));
    CHECK(buried(on, to) == bad);
  }
}

TEST_CASE_TEMPLATE("bisect: a bound on bytes splits and duplicates nothing",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto all = ids_between(1, 60);
  on.accept({"t1", events_json(all, 100)});
  const auto result = drain(on, "a", [](const owed_transaction& what) {
    return what.body.size() > 1'500 ? verdict_kind::too_big
                                    : verdict_kind::accepted;
  });
  CHECK(result.delivered == all);
  CHECK(on.letters().empty());
  CHECK(result.took < 1s); // Too big is no overload.
  check_empty(on.row_of().value());
}

TEST_CASE_TEMPLATE("bisect: what is too large alone is buried, nothing else",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept_events("t1", ids_between(1, 9));
  on.accept({"t2", events_json({"$big"}, 5'000)});
  on.accept_events("t3", ids_between(11, 20));
  const auto result = drain(on, "a", [](const owed_transaction& what) {
    return what.body.size() > 1'500 ? verdict_kind::too_big
                                    : verdict_kind::accepted;
  });
  auto rest = ids_between(1, 9);
  for (const auto& each : ids_between(11, 20))
    rest.push_back(each);
  CHECK(result.delivered == rest);
  CHECK(buried(on, "a") == ids{"$big"});
}

TEST_CASE_TEMPLATE("bisect: what is no event is found among events", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  on.accept({"t1", R"({"events":[{"event_id":"$1"},{"event_id":"$2"}],
    "to_device":[{"m":1},{"bad":1},{"m":2}],"device_lists":{"left":["@a"]}})"});
  const auto result = drain(on, "a", [](const owed_transaction& what) {
    return what.body.view().find("bad") != std::string_view::npos
      ? verdict_kind::rejected
      : verdict_kind::accepted;
  });
  CHECK(result.delivered == ids{"$1", "$2"});
  const auto letters = on.letters();
  REQUIRE(letters.size() == 1);
  CHECK(letters[0].item.bytes == R"({"bad":1})");
  CHECK(letters[0].item.kind == lane::to_device);
  check_empty(on.row_of().value());
}
