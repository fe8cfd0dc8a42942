#include "schema/realm_submission.hpp"

#include <doctest/doctest.h>

using namespace weir;

namespace {

std::string wrong_of(std::string_view body, bool in_bulk = false) {
  const auto read = read_realm_submission(body, in_bulk);
  REQUIRE_FALSE(read.has_value());
  CHECK((read.error().code == ec::bad_json));
  return read.error().context;
}

} // namespace

TEST_CASE("realm submission: every member is read, content as it stands") {
  const auto read = read_realm_submission(
    R"({"type":"app.x","class":"lossy","content":{ "a" : 1.0, "a2":"\u00e9" },)"
    R"("coalesce":{"mode":"union","key":"k","fields":["added"]},)"
    R"("rooms":["!b:x","!a"],"expires_in_ms":60000,"split":"added"})",
    false);
  REQUIRE(read.has_value());
  const auto& event = read.value();
  CHECK(event.type == "app.x");
  CHECK((event.importance == realm_class::lossy));
  CHECK(event.content == R"({ "a" : 1.0, "a2":"\u00e9" })");
  CHECK((event.rule.mode == coalesce_mode::unite));
  CHECK(event.rule.key == "k");
  CHECK(event.rule.fields == std::vector<std::string>{"added"});
  REQUIRE(event.rooms);
  CHECK((*event.rooms == std::vector<room_id>{{"!b:x"}, {"!a"}}));
  CHECK(event.expires_in.count() == 60'000);
  CHECK(event.split == "added");
}

TEST_CASE("realm submission: what is left out has a default") {
  const auto read = read_realm_submission(
    R"({"type":"t","content":{},"rooms":null,"expires_in_ms":null})", false);
  REQUIRE(read.has_value());
  CHECK((read.value().importance == realm_class::progress));
  CHECK((read.value().rule == coalesce_rule{}));
  CHECK_FALSE(read.value().rooms);
  CHECK(read.value().expires_in.count() == 0);
}

TEST_CASE("realm submission: a line of a bulk names its realm and key") {
  const auto read = read_realm_submission(
    R"({"realm":"https://r/","key":"1","type":"t","content":{}})", true);
  REQUIRE(read.has_value());
  CHECK(read.value().realm == "https://r/");
  CHECK(read.value().key == "1");
  CHECK(wrong_of(R"({"key":"1","type":"t","content":{}})", true)
        == "realm or key is missing");
  CHECK(wrong_of(R"({"key":"1","type":"t","content":{}})")
        == "key: is no member of an event");
}

TEST_CASE("realm submission: what is wrong is told") {
  CHECK(wrong_of("[]") == "expected an object");
  CHECK(wrong_of(R"({"type":"t"})") == "content is missing");
  CHECK(wrong_of(R"({"content":{}})") == "type is missing");
  CHECK(wrong_of(R"({"type":"t","type":"u","content":{}})")
        == "expected each member once");
  CHECK(wrong_of(R"({"type":"t","content":[]})")
        == "content: expected an object");
  CHECK(wrong_of(R"({"type":"t","content":{},"classs":"lossy"})")
        == "classs: is no member of an event");
  CHECK(wrong_of(R"({"type":"t","content":{},"rooms":["x"]})")
        == "rooms: expected room ids such as !room:example.org");
  CHECK(wrong_of(R"({"type":"t","content":{},"expires_in_ms":0})")
        == "expires_in_ms: expected a whole number from 1 on, in ms");
  CHECK(wrong_of(R"({"type":"t","content":{},"coalesce":{"mode":"union"}})")
        == "coalesce.fields: expected 1 to 16 names, with union alone");
  CHECK(wrong_of(R"({"type":"t","content":{},"coalesce":{"mode":"x"}})")
          .starts_with("coalesce: expected"));
  const auto broken = read_realm_submission(R"({"type":)", false);
  REQUIRE_FALSE(broken.has_value());
  CHECK((broken.error().code == ec::not_json));
}

TEST_CASE("realm submission: an audience is read once each, in order") {
  const auto rooms = read_audience(R"({"rooms":["!b:x","!a:x","!b:x"]})");
  REQUIRE(rooms.has_value());
  CHECK((rooms.value() == std::vector<room_id>{{"!a:x"}, {"!b:x"}}));
  CHECK_FALSE(read_audience(R"({"rooms":["!b:x"],"x":1})").has_value());
  const auto change = read_audience_change(R"({"add":["!a:x"],"remove":[]})");
  REQUIRE(change.has_value());
  CHECK(change.value().add.size() == 1);
  CHECK_FALSE(read_audience_change(R"({"adds":["!a:x"]})").has_value());
}

TEST_CASE("realm submission: e18 a room id may lack its server") {
  CHECK(is_room_id("!abc"));
  CHECK(is_room_id("!a/b?c#d:x"));
  CHECK_FALSE(is_room_id("!"));
  CHECK_FALSE(is_room_id("#a:x"));
  CHECK_FALSE(is_room_id("!a\n:x"));
  CHECK_FALSE(is_room_id("!" + std::string(255, 'a')));
}
