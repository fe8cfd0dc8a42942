#include "actors/policy/coalesce.hpp"
#include "actors/policy/realm_content.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace weir;
using namespace weir::policy;

namespace {

const coalesce_rule replace{coalesce_mode::replace, "initiation", {}};
const coalesce_rule unite{
  coalesce_mode::unite, "update", {"added", "updated", "removed"}};
constexpr auto type = "app.boxel.realm-event";

mergeable_event event(const coalesce_rule& rule, std::string_view content) {
  return {type, realm_class::progress, rule, content, {}, {}};
}

/// What the tail becomes, or an empty string when nothing merges.
std::string merged(const mergeable_event& tail, const mergeable_event& next) {
  const auto result = merge_into({tail, true}, next);
  return result ? result->content : std::string{};
}

std::string united(std::string_view older, std::string_view newer) {
  return merged(event(unite, older), event(unite, newer));
}

/// A queue that merges as a realm does.
std::vector<std::string>
queue_of(const std::vector<std::pair<coalesce_rule, std::string>>& events) {
  std::vector<std::pair<coalesce_rule, std::string>> queue;
  for (const auto& [rule, content] : events) {
    std::string joined;
    if (!queue.empty())
      joined = merged(event(queue.back().first, queue.back().second),
                      event(rule, content));
    if (joined.empty())
      queue.emplace_back(rule, content);
    else
      queue.back().second = joined;
  }
  std::vector<std::string> contents;
  for (const auto& each : queue)
    contents.push_back(each.second);
  return contents;
}

} // namespace

TEST_CASE("coalesce: q12 of three hundred initiations behind one in flight one "
          "remains") {
  const auto sent = event(replace, R"({"n":0})");
  CHECK(!merge_into({sent, false}, event(replace, R"({"n":1})")));
  std::vector<std::pair<coalesce_rule, std::string>> events;
  for (int i = 1; i <= 300; ++i)
    events.emplace_back(replace, R"({"n":)" + std::to_string(i) + "}");
  CHECK(queue_of(events) == std::vector<std::string>{R"({"n":300})"});
}

TEST_CASE("coalesce: q13 each list becomes the union, each path once") {
  CHECK(united(R"({"eventName":"update","added":["a"]})",
               R"({"eventName":"update","added":["a","b"],"removed":["c"]})")
        == R"({"eventName":"update","added":["a","b"],"removed":["c"]})");
  CHECK(united(R"({"added":["x","x"]})", R"({"added":[]})")
        == R"({"added":["x"]})");
  CHECK(united(R"({"added":[]})", R"({"removed":["y"]})")
        == R"({"added":[],"removed":["y"]})");
}

TEST_CASE("coalesce: q13 paths that are written differently are one") {
  CHECK(united(R"({"added":["a/b"]})", R"({"added":["a\/b","\u0061"]})")
        == R"({"added":["a/b","\u0061"]})");
}

TEST_CASE("coalesce: q13 bytes that are not changed are kept") {
  CHECK(united(R"({ "n" : 1e400 , "added" : [ "a" ] })",
               R"({"added":["b"],"n":1e400})")
        == R"({"n":1e400,"added":["a","b"]})");
}

TEST_CASE("coalesce: q14 no event moves past one of another kind") {
  CHECK(queue_of({{replace, R"({"n":1})"},
                  {unite, R"({"added":["a"]})"},
                  {replace, R"({"n":2})"}})
          .size()
        == 3);
}

TEST_CASE("coalesce: q15 completions never merge") {
  CHECK(queue_of({{{}, R"({"n":1})"}, {{}, R"({"n":1})"}}).size() == 2);
}

TEST_CASE("coalesce: q16 and d4 what was bound or tried is never changed") {
  const auto tail = event(unite, R"({"added":["a"]})");
  CHECK(merge_into({tail, true}, tail));
  CHECK(!merge_into({tail, false}, tail));
}

TEST_CASE("coalesce: e15 a path that would be in two lists stands behind") {
  CHECK(united(R"({"added":["x"]})", R"({"removed":["x"]})").empty());
  CHECK(united(R"({"added":["x"]})", R"({"removed":["y"]})")
        == R"({"added":["x"],"removed":["y"]})");
  CHECK(
    united(R"({"added":["x"],"removed":["x"]})", R"({"added":["y"]})").empty());
  CHECK(
    united(R"({"added":["y"]})", R"({"added":["x"],"updated":["x"]})").empty());
}

TEST_CASE("coalesce: what differs in anything but the lists stands behind") {
  CHECK(united(R"({"n":1,"added":["a"]})", R"({"n":2,"added":["b"]})").empty());
  CHECK(united(R"({"n":1,"added":["a"]})", R"({"added":["b"]})").empty());
  CHECK(united(R"({"added":["a"]})", R"({"n":1,"added":["b"]})").empty());
  CHECK(united(R"({"added":"a"})", R"({"added":["b"]})").empty());
  CHECK(united(R"({"added":[1]})", R"({"added":["b"]})").empty());
  CHECK(united(R"({"added":["a"],"added":[]})", R"({"added":["b"]})").empty());
  CHECK(united(R"({"added":["a"]})", "[]").empty());
}

TEST_CASE("coalesce: only events of one rule, type, class and target merge") {
  const auto tail = event(replace, R"({"n":1})");
  const auto next = event(replace, R"({"n":2})");
  CHECK(merged(tail, next) == R"({"n":2})");
  auto other = next;
  other.rule.key = "other";
  CHECK(merged(tail, other).empty());
  other = next;
  other.type = "m.other";
  CHECK(merged(tail, other).empty());
  other = next;
  other.importance = realm_class::completion;
  CHECK(merged(tail, other).empty());
  other = next;
  other.rooms = std::vector<room_id>{{"!a"}};
  CHECK(merged(tail, other).empty());
  auto to_rooms = tail;
  to_rooms.rooms = other.rooms;
  CHECK(merged(to_rooms, other) == R"({"n":2})");
  other = event(unite, R"({"n":1})");
  other.rule.fields = {"added"};
  CHECK(merged(event(unite, R"({"n":1})"), other).empty());
}

TEST_CASE("coalesce: what would be too large stands behind") {
  const std::string a = R"({"added":[")" + std::string(100, 'a') + R"("]})";
  const std::string b = R"({"added":[")" + std::string(100, 'b') + R"("]})";
  const queued_tail tail{event(unite, a), true};
  const auto whole = merge_into(tail, event(unite, b));
  REQUIRE(whole);
  CHECK(merge_into(tail, event(unite, b), whole->content.size()));
  CHECK(!merge_into(tail, event(unite, b), whole->content.size() - 1));
}

TEST_CASE("coalesce: the later expiry counts, and none is the latest") {
  auto tail = event(replace, "{}");
  auto next = tail;
  tail.expires_at = stored_time{5};
  next.expires_at = stored_time{9};
  CHECK(merge_into({tail, true}, next)->expires_at == stored_time{9});
  CHECK(merge_into({next, true}, tail)->expires_at == stored_time{9});
  next.expires_at.reset();
  CHECK(!merge_into({tail, true}, next)->expires_at);
  CHECK(!merge_into({next, true}, tail)->expires_at);
}

TEST_CASE("coalesce: a bulk write of fifty files is three events") {
  std::vector<std::pair<coalesce_rule, std::string>> events;
  const auto add = [&events](const std::string& content) {
    const auto how = boxel_treatment(content);
    REQUIRE(how);
    events.emplace_back(how->rule, content);
  };
  for (int i = 0; i < 50; ++i)
    add(R"({"eventName":"index","indexType":"incremental-index-initiation",)"
        R"("updatedFile":")"
        + std::to_string(i) + R"("})");
  add(R"({"eventName":"update","added":["a"]})");
  add(R"({"eventName":"index","indexType":"incremental","invalidations":[]})");
  CHECK(queue_of(events).size() == 3);
}

TEST_CASE("boxel preset: each kind has its class and rule") {
  const auto treat
    = [](const std::string& content) { return boxel_treatment(content); };
  const auto initiation = treat(
    R"({"eventName":"index","indexType":"incremental-index-initiation"})");
  REQUIRE(initiation);
  CHECK(initiation->importance == realm_class::progress);
  CHECK(initiation->rule.mode == coalesce_mode::replace);
  const auto update = treat(R"({"eventName":"update","added":[]})");
  REQUIRE(update);
  CHECK(update->importance == realm_class::progress);
  CHECK(update->rule == unite);
  for (const auto* each : {"incremental", "full", "copy"}) {
    const auto done = treat(R"({"indexType":")" + std::string{each}
                            + R"(","eventName":"index"})");
    REQUIRE(done);
    CHECK(done->importance == realm_class::completion);
    CHECK(done->rule == coalesce_rule{});
  }
  const auto html = treat(R"({"eventName":"prerender_html","generation":1})");
  REQUIRE(html);
  CHECK(html->importance == realm_class::lossy);
  CHECK(html->rule == coalesce_rule{});
}

TEST_CASE("boxel preset: what it does not know it does not guess") {
  for (const auto* each :
       {R"({"eventName":"index"})",
        R"({"eventName":"update","indexType":"full"})",
        R"({"eventName":"other"})", R"({"eventName":1})", "{}", "[]",
        R"({"eventName":"update","eventName":"update"})"})
    CHECK(!boxel_treatment(each));
}

TEST_CASE("realm content: e13 a list that is too long is cut, in order") {
  const std::string content
    = R"({"id":7,"urls":["aaaa","bbbb","cccc","dddd"],"end":true})";
  const auto parts = split_content(content, "urls", 45);
  REQUIRE(parts);
  CHECK(*parts
        == std::vector<std::string>{
          R"({"id":7,"urls":["aaaa","bbbb"],"end":true})",
          R"({"id":7,"urls":["cccc","dddd"],"end":true})"});
  CHECK(split_content(content, "urls", content.size())
        == std::vector<std::string>{content});
  CHECK(split_content(content, "urls", 42)->size() == 2);
  CHECK(split_content(content, "urls", 41)->size() == 4);
}

TEST_CASE("realm content: e13 what no cut makes fit is refused") {
  const std::string content = R"({"urls":["aaaa","bbbbbbbb"],"rest":"cccccc"})";
  CHECK(!split_content(content, "urls", 30));
  CHECK(!split_content(content, "rest", 40));
  CHECK(!split_content(content, "none", 40));
  CHECK(!split_content("[1,2,3]", "urls", 3));
  std::string many = R"({"urls":[)";
  for (int i = 0; i < 65; ++i)
    many += i == 0 ? R"("a")" : R"(,"a")";
  many += "]}";
  CHECK(!split_content(many, "urls", 14));
  CHECK(split_content(many, "urls", 18)->size() == 33);
}
