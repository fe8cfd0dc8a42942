#include "tests/unit/operations/realm_fixture.hpp"

using namespace weir;
using namespace weir::test;

namespace {

replace_realm_audience replacement(std::vector<room_id> rooms,
                                   const std::string& mark = "mark") {
  replace_realm_audience request;
  request.realm = {"r"};
  request.account = "@weir:x";
  request.rooms = shared{std::move(rooms)};
  request.mark = mark;
  return request;
}

/// One commit of it; the request is what the next one takes.
template <class Where>
realm_audience_changed go_on(realm_house<Where>& on,
                             replace_realm_audience& request) {
  const auto reply = must(on.ask(operations::replace_audience, request));
  if (!reply.last.empty()) {
    request.begins = false;
    request.after = reply.last;
  }
  return reply;
}

/// All commits of it. Returns the last reply.
template <class Where>
realm_audience_changed replace(realm_house<Where>& on,
                               std::vector<room_id> rooms) {
  auto request = replacement(std::move(rooms));
  for (int each = 0; each < 20; ++each) {
    const auto reply = go_on(on, request);
    if (reply.result != audience_result::more)
      return reply;
  }
  FAIL("it does not end");
  return {};
}

template <class Where>
std::vector<room_id> audience(realm_house<Where>& on) {
  const auto row = on.row();
  std::vector<room_id> rooms;
  for (auto& each : must(on.where.connect_reader()->realms().audience(
         row.no, row.audience_version, "", 100'000)))
    rooms.push_back(std::move(each.room));
  CHECK(rooms.size() == row.audience);
  return rooms;
}

} // namespace

TEST_CASE_TEMPLATE(
  "realm: e11 an audience is replaced at once, in many commits", Where,
  WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.subscribe_many(2'500);
  const auto version = on.row().audience_version;
  // Every third room goes, as many others come.
  std::vector<room_id> wanted;
  for (const auto& room : many_rooms(4'000, 500))
    if (wanted.size() % 3 != 1 || room.value.back() != '7')
      wanted.push_back(room);
  auto request = replacement(wanted);
  CHECK(go_on(on, request).result == audience_result::more);
  // Before the last commit nobody sees any of it.
  CHECK(on.row().audience_version == version);
  CHECK(audience(on) == many_rooms(2'500));
  auto reply = go_on(on, request);
  for (int each = 0; reply.result == audience_result::more && each < 20; ++each)
    reply = go_on(on, request);
  CHECK(reply.result == audience_result::done);
  CHECK(reply.version == version + 1);
  CHECK(audience(on) == wanted);
  // The same again is no new version; one that is shorter or empty is one.
  CHECK(replace(on, many_rooms(2)).version == version + 2);
  CHECK(replace(on, many_rooms(2)).version == version + 2);
  CHECK(audience(on) == many_rooms(2));
  CHECK(replace(on, {}).version == version + 3);
  CHECK(audience(on).empty());
}

TEST_CASE_TEMPLATE("realm: e21 a replacement is for the version it names",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a"});
  auto request = replacement(room_ids({"!b"}));
  request.if_version = 0;
  CHECK(go_on(on, request).result == audience_result::version_conflict);
  request.if_version = 1;
  CHECK(go_on(on, request).result == audience_result::done);
  CHECK(audience(on) == room_ids({"!b"}));
}

TEST_CASE_TEMPLATE("realm: e21 a replacement that is overtaken is told so",
                   Where, WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.subscribe_many(1'200);
  auto first = replacement(many_rooms(3'000, 700), "first");
  CHECK(go_on(on, first).result == audience_result::more);
  SUBCASE("by another") {
    CHECK(replace(on, many_rooms(3)).result == audience_result::done);
    CHECK(go_on(on, first).result == audience_result::busy);
    CHECK(audience(on) == many_rooms(3));
  }
  SUBCASE("by another that is not done either") {
    auto second = replacement(many_rooms(4'000), "second");
    auto reply = go_on(on, second);
    while (reply.last.empty())
      reply = go_on(on, second);
    CHECK(reply.result == audience_result::more);
    CHECK(go_on(on, first).result == audience_result::busy);
    for (int each = 0; reply.result == audience_result::more && each < 20;
         ++each)
      reply = go_on(on, second);
    CHECK(reply.result == audience_result::done);
    CHECK(audience(on) == many_rooms(4'000));
  }
  SUBCASE("by a change") {
    auto changed = on.change({"!x"});
    for (int each = 0; changed.result == audience_result::more && each < 20;
         ++each)
      changed = on.change({"!x"});
    CHECK(changed.rooms == 1'201);
    CHECK(go_on(on, first).result == audience_result::busy);
    auto rooms = many_rooms(1'200);
    rooms.push_back({"!x"});
    CHECK(audience(on) == rooms);
  }
}

TEST_CASE_TEMPLATE("realm: e21 a room that stays keeps its subscription", Where,
                   WEIR_EVERY_STORE) {
  realm_house<Where> on;
  on.change({"!a", "!b"});
  on.submit({offer("1"), offer("2")});
  on.bind();
  on.send("!b", send_outcome::not_joined);
  replace(on, room_ids({"!a", "!b", "!c"}));
  CHECK(on.send("!a") == "we_1");
  // The one that rested began anew.
  on.bind();
  CHECK(on.send("!b") == "we_2");
}
