#include "actors/operations/realm_control.hpp"
#include "actors/operations/realm_upkeep.hpp"
#include "tests/unit/operations/realm_fixture.hpp"

#include "tests/support/memory_store/memory_state.hpp"

#include <functional>

using namespace weir;
using namespace weir::test;

/// Faults between the statements of one operation of realms, as in
/// atomic_test.cpp.
namespace {

using memory_house = realm_house<on_memory>;
using tables_copy = std::shared_ptr<const memory_tables>;

/// More than any operation here executes, the batch's own included.
constexpr uint64_t statements_max = 60;
constexpr uint64_t never = 1'000'000;

void check_same(const memory_tables& a, const memory_tables& b) {
  CHECK(a.realms == b.realms);
  CHECK(a.realm_ids == b.realm_ids);
  CHECK(a.realm_bytes == b.realm_bytes);
  CHECK(a.realm_rooms == b.realm_rooms);
  CHECK(a.realm_events == b.realm_events);
  CHECK(a.realm_contents == b.realm_contents);
  CHECK(a.realm_sends == b.realm_sends);
  CHECK(a.realm_open == b.realm_open);
  CHECK(a.realm_open_events == b.realm_open_events);
  CHECK(a.realm_lanes == b.realm_lanes);
  CHECK(a.realm_keys == b.realm_keys);
  CHECK(a.realm_event_ids == b.realm_event_ids);
  CHECK(a.accounts == b.accounts);
  CHECK(a.commands == b.commands);
  // Positions move with each batch, and a batch that failed took some.
  REQUIRE(a.outcomes.size() == b.outcomes.size());
  for (auto x = a.outcomes.begin(), y = b.outcomes.begin();
       x != a.outcomes.end(); ++x, ++y) {
    CHECK(x->second.subject == y->second.subject);
    CHECK(x->second.result == y->second.result);
  }
}

/// One operation, and what must be there before it.
struct scenario {
  std::string name;
  std::function<void(memory_house&)> prepare;
  /// Returns `ec::none` when it was done.
  std::function<ec(memory_house&)> act;
};

submit_realm_events submission(const std::vector<realm_offer>& offers,
                               policy::realm_admission::bounds bounds = {}) {
  submit_realm_events request;
  request.realm = {"r"};
  request.account = "@weir:x";
  request.offers = offers;
  request.bounds = bounds;
  return request;
}

ec act(memory_house& on, const submit_realm_events& request) {
  return code_of(on.ask(operations::submit_events, request));
}

ec bind_one(memory_house& on) {
  return code_of(
    on.ask(operations::bind_event,
           bind_realm_event{{"r"}, realm_ordering::room, 0ms, true, {}}));
}

ec settle_one(memory_house& on, send_outcome how) {
  settle_realm_send request;
  request.realm = {"r"};
  request.seq = 1;
  request.room = {"!a"};
  request.txn = on.sends("we_1")[0].txn;
  request.how = how;
  return code_of(on.ask(operations::settle_send, request));
}

void bound(memory_house& on) {
  on.change({"!a", "!b"});
  on.submit({offer("1"), offer("2")});
  on.bind();
}

/// What operators, producers and time do.
std::vector<scenario> others() {
  return {
    {"cancel what is queued",
     [](memory_house& on) {
       on.submit({offer("1"), offer("2")});
     },
     [](memory_house& on) {
       return code_of(on.ask(operations::cancel_event,
                             cancel_realm_event{{"r"}, "we_1", {}}));
     }},
    {"redeliver",
     [](memory_house& on) {
       bound(on);
       on.send("!a", send_outcome::failed);
       on.send("!b", send_outcome::failed);
     },
     [](memory_house& on) {
       return code_of(on.ask(operations::redeliver_event,
                             redeliver_realm_event{{"r"}, "we_1", {}, {}}));
     }},
    {"delete", bound,
     [](memory_house& on) {
       return code_of(
         on.ask(operations::delete_some, delete_realm{{"r"}, true, "ada", {}}));
     }},
    {"expire",
     [](memory_house& on) {
       bound(on);
       auto soon = offer("3");
       soon.expires_in = 1min;
       on.submit_one(soon);
       on.later = 48h;
     },
     [](memory_house& on) {
       return code_of(on.ask(operations::expire, expire_realm{{"r"}, {}}));
     }},
    {"forget",
     [](memory_house& on) {
       bound(on);
       on.send("!a");
       on.send("!b");
       on.change({}, {"!a"});
       on.later = 48h;
     },
     [](memory_house& on) {
       return code_of(on.ask(operations::forget_some, forget_realm{{"r"}, {}}));
     }},
    {"replace the audience", bound,
     [](memory_house& on) {
       replace_realm_audience request;
       request.realm = {"r"};
       request.account = "@weir:x";
       request.rooms = shared{room_ids({"!b", "!c"})};
       request.mark = "mark";
       return code_of(on.ask(operations::replace_audience, request));
     }},
  };
}

/// What is taken in, and for whom.
std::vector<scenario> taking() {
  const auto size = limits::realm_event_overhead_bytes + 7;
  const policy::realm_admission::bounds tight{2 * size, 100 * size, 0.0};
  const auto lossy = [](const std::string& key) {
    return offer(key, R"({"a":1})", realm_class::lossy);
  };
  return {
    {"submit to nothing", [](memory_house&) {},
     [](memory_house& on) {
       return act(on, submission({offer("1"), offer("2")}));
     }},
    {"merge", [](memory_house& on) { on.submit_one(replacing("1", "{}")); },
     [](memory_house& on) {
       return act(on, submission({replacing("2", R"({"n":2})"), offer("3")}));
     }},
    {"drop what is lossy",
     [=](memory_house& on) {
       on.submit({lossy("1"), lossy("2")}, tight);
     },
     [=](memory_house& on) {
       return act(on, submission({offer("3")}, tight));
     }},
    {"change the audience",
     [](memory_house& on) {
       on.change({"!a", "!b"});
     },
     [](memory_house& on) {
       change_realm_audience request;
       request.realm = {"r"};
       request.add = room_ids({"!c"});
       request.remove = room_ids({"!a"});
       return code_of(on.ask(operations::change_audience, request));
     }},
  };
}

/// What is bound and sent.
std::vector<scenario> sending() {
  return {
    {"bind",
     [](memory_house& on) {
       on.change({"!a", "!b"});
       on.submit({offer("1"), offer("2")});
     },
     bind_one},
    {"bind a chunk",
     [](memory_house& on) {
       on.subscribe_many(300);
       on.submit_one(offer("1"));
       on.bind();
     },
     bind_one},
    {"end what nobody waits for",
     [](memory_house& on) {
       on.submit({offer("1"), offer("2")});
     },
     bind_one},
    {"begin where a subscription ended",
     [](memory_house& on) {
       bound(on);
       on.change({}, {"!a"});
     },
     [](memory_house& on) {
       return code_of(on.ask(operations::begin_send,
                             begin_realm_send{{"r"}, {"!a"}, false, {}}));
     }},
    {"deliver", bound,
     [](memory_house& on) { return settle_one(on, send_outcome::delivered); }},
    {"deliver the last",
     [](memory_house& on) {
       bound(on);
       on.send("!b");
     },
     [](memory_house& on) { return settle_one(on, send_outcome::delivered); }},
    {"find nobody there", bound,
     [](memory_house& on) { return settle_one(on, send_outcome::not_joined); }},
  };
}

std::vector<scenario> scenarios() {
  auto all = taking();
  for (auto* more : {&sending, &others})
    for (auto& each : more())
      all.push_back(std::move(each));
  return all;
}

/// What the operation leaves when nothing goes wrong.
tables_copy faultless(const scenario& each) {
  memory_house on;
  each.prepare(on);
  CHECK(each.act(on) == ec::none);
  return on.where.database.copy();
}

} // namespace

TEST_CASE("realm: an operation whose nth statement fails leaves no trace") {
  for (const auto& each : scenarios()) {
    CAPTURE(each.name);
    const auto done = faultless(each);
    int failures = 0;
    for (uint64_t nth = 1; nth <= statements_max; ++nth) {
      memory_house on;
      each.prepare(on);
      const auto before = on.where.database.copy();
      on.where.database.fail_statement(nth);
      const bool failed = each.act(on) != ec::none;
      on.where.database.fail_statement(never);
      check_same(*on.where.database.copy(), failed ? *before : *done);
      if (!failed)
        continue;
      ++failures;
      CHECK(each.act(on) == ec::none); // Now it does what it always did.
      CHECK(on.where.database.copy()->realm_events == done->realm_events);
      CHECK(on.where.database.copy()->realm_sends == done->realm_sends);
    }
    CHECK(failures >= 3);
    CHECK(failures < static_cast<int>(statements_max) - 2);
  }
}

TEST_CASE("realm: a lost connection in any statement is made good") {
  for (const auto& each : scenarios()) {
    CAPTURE(each.name);
    const auto done = faultless(each);
    for (uint64_t nth = 1; nth <= statements_max; ++nth) {
      memory_house on;
      each.prepare(on);
      on.where.database.fail_statement(nth, ec::unavailable);
      CHECK(each.act(on) == ec::none);
      on.where.database.fail_statement(never);
      check_same(*on.where.database.copy(), *done);
    }
  }
}

TEST_CASE("realm: a commit in doubt is done once, whatever became of it") {
  for (const auto& each : scenarios()) {
    CAPTURE(each.name);
    const auto done = faultless(each);
    for (const auto loss :
         {connection_loss::before_commit, connection_loss::at_commit_not_stored,
          connection_loss::at_commit_stored, connection_loss::after_commit}) {
      memory_house on;
      each.prepare(on);
      on.where.database.lose_connection(loss);
      CHECK(each.act(on) == ec::none);
      check_same(*on.where.database.copy(), *done);
    }
  }
}
