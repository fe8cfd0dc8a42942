#include "actors/operations/realm_reads.hpp"

#include "actors/operations/realm_control.hpp"
#include "tests/support/token_samples.hpp"
#include "tests/unit/operations/realm_fixture.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;

namespace {

const token_authority& authority() {
  static const token_authority made{ring_of(old_key_line)};
  return made;
}

token_claim claim(std::string since = {}, std::string after = {}) {
  return {"producer/a", "realm", std::move(since), std::move(after)};
}

/// A realm, and what a reader is told of it.
template <class Where>
struct read_house : realm_house<Where> {
  realm_answer read(realm_question what, token_claim by = claim()) {
    what.realm = this->id;
    const auto from = this->where.connect_reader();
    return must(operations::answer_realm(*from, authority(),
                                         {std::move(what), std::move(by)}));
  }
  feed_answer feed(const std::string& since, uint64_t rows_max = 100,
                   std::vector<std::string> realms = {"*"}) {
    const auto from = this->where.connect_reader();
    return must(operations::answer_feed(
      *from, authority(), {std::move(realms), rows_max, claim(since)}));
  }
  realm_question event_of(const std::string& event_id, uint64_t rows_max = 10,
                          const std::string& after = {}) {
    realm_question what;
    what.event_id = event_id;
    what.with_sends = true;
    what.rows_max = rows_max;
    what.after = after;
    return what;
  }
};

} // namespace

TEST_CASE_TEMPLATE("realm reads: an event is told with a page of its rooms",
                   Where, WEIR_EVERY_STORE) {
  read_house<Where> on;
  on.change({"!a", "!b", "!c"});
  on.submit_one(offer("1"));
  on.bind();
  on.send("!b");
  const auto told = on.read(on.event_of("we_1", 2));
  CHECK(told.how.covered());
  REQUIRE(told.facts.event);
  CHECK(told.facts.event->delivered == 1);
  REQUIRE(told.facts.sends.size() == 2);
  CHECK(told.facts.sends[1].outcome == send_outcome::delivered);
  CHECK(told.facts.more);
  const auto rest = on.read(on.event_of("we_1", 2, "!b"));
  CHECK(rest.facts.sends.size() == 1);
  CHECK(!rest.facts.more);
  CHECK(!on.read(on.event_of("we_2")).facts.event);
}

TEST_CASE_TEMPLATE("realm reads: a realm that is not there has nothing", Where,
                   WEIR_EVERY_STORE) {
  read_house<Where> on;
  on.id = {"nobody's"};
  realm_question what;
  what.with_status = what.with_rooms = what.with_letters = true;
  const auto told = on.read(what);
  CHECK(told.how.covered());
  CHECK(!told.facts.realm);
  CHECK(!told.token.empty());
}

TEST_CASE_TEMPLATE("realm reads: rooms and dead letters come in pages", Where,
                   WEIR_EVERY_STORE) {
  read_house<Where> on;
  on.change({"!a", "!b", "!c"});
  realm_question rooms;
  rooms.with_rooms = true;
  rooms.rows_max = 2;
  auto told = on.read(rooms);
  CHECK(told.facts.rooms.size() == 2);
  CHECK(told.facts.more);
  rooms.after = told.facts.rooms.back().room.value;
  told = on.read(rooms);
  CHECK(told.facts.rooms.size() == 1);
  CHECK(!told.facts.more);

  on.submit({offer("1"), offer("2")});
  on.bind();
  on.send("!a", send_outcome::failed);
  on.bind();
  on.send("!a");
  on.send("!b");
  on.send("!b", send_outcome::failed);
  realm_question letters;
  letters.with_letters = true;
  letters.rows_max = 1;
  told = on.read(letters);
  REQUIRE(told.facts.letters.size() == 1);
  CHECK(told.facts.letters[0].event_id == "we_1");
  CHECK(told.facts.more);
  letters.after_seq = told.facts.letters[0].seq;
  told = on.read(letters);
  REQUIRE(told.facts.letters.size() == 1);
  CHECK(told.facts.letters[0].event_id == "we_2");
}

TEST_CASE_TEMPLATE("realm reads: what is told of a realm has its oldest event",
                   Where, WEIR_EVERY_STORE) {
  read_house<Where> on;
  on.change({"!a"});
  realm_question what;
  what.with_status = true;
  CHECK(on.read(what).facts.oldest_accepted_at == stored_time{});
  on.submit_one(offer("1"));
  const auto told = on.read(what);
  CHECK(told.facts.oldest_accepted_at == on.event("we_1").accepted_at);
  CHECK(told.facts.realm->open_events == 1);
  CHECK(told.as_of != stored_time{});
  const auto from = on.where.connect_reader();
  const auto listed = must(operations::list_rows(*from, {0, 10}));
  REQUIRE(listed.realms.size() == 1);
  CHECK(listed.realms[0].oldest_accepted_at == on.event("we_1").accepted_at);
}

TEST_CASE_TEMPLATE("realm reads: the token of a write is good for a read, and "
                   "that of a read",
                   Where, WEIR_EVERY_STORE) {
  read_house<Where> on;
  on.change({"!a"});
  const auto taken = on.submit({offer("1")});
  const auto bound = must(authority().bound(taken.at, "producer/a"));
  const auto told = on.read(on.event_of("we_1"), claim({}, bound));
  CHECK(told.how.covered());
  CHECK(told.facts.event);
  CHECK(on.read(on.event_of("we_1"), claim({}, told.token)).how.covered());
  auto refused = on.read(on.event_of("we_1"), claim(bound));
  CHECK(refused.how.refused == token_refusal::bound_as_cursor);
  CHECK(!refused.facts.realm);
  refused = on.read(on.event_of("we_1"), claim({}, "wt1_no"));
  CHECK(refused.how.refused.has_value());
}

TEST_CASE_TEMPLATE("realm reads: the feed tells outcomes behind a token, and "
                   "of realms that may be seen",
                   Where, WEIR_EVERY_STORE) {
  read_house<Where> on;
  on.change({"!a"});
  on.submit({offer("1"), offer("2")});
  on.drain();
  const auto first = on.feed("", 1);
  REQUIRE(first.rows.size() == 1);
  CHECK(first.more);
  CHECK(operations::realm_of(first.rows[0]) == "r");
  CHECK(first.rows[0].subject == "we_1/!a");
  const auto second = on.feed(first.next, 1);
  REQUIRE(second.rows.size() == 1);
  CHECK(second.rows[0].subject == "we_2/!a");
  const auto none = on.feed(second.next);
  CHECK(none.rows.empty());
  CHECK(!none.more);
  // All of them are somebody else's: they are gone through.
  const auto hidden = on.feed("", 1, {"other"});
  CHECK(hidden.rows.empty());
  CHECK(!hidden.more);
  CHECK(on.feed(hidden.next).rows.empty());
}

TEST_CASE_TEMPLATE("realm reads: the totals are what all realms come to", Where,
                   WEIR_EVERY_STORE) {
  read_house<Where> on;
  const auto totals
    = [&] { return must(on.where.connect_reader()->realms().totals()); };
  CHECK(totals() == realm_totals{});
  on.change({"!a", "!b"});
  on.submit({offer("1"), offer("2")});
  on.bind();
  on.send("!a", send_outcome::failed);
  on.id = {"other"};
  on.submit_one(offer("3"));
  const auto found = totals();
  CHECK(found.realms == 2);
  CHECK(found.open_events == 3);
  CHECK(found.open_bytes > 0);
  CHECK(found.unsettled == 1);
  CHECK(found.dead_letters == 1);
  on.id = {"r"};
  CHECK(found.oldest_accepted_at == on.event("we_1").accepted_at);
}
