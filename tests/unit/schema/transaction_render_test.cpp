#include "schema/transaction.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace weir;

namespace {

using items = std::vector<rendered_item>;

std::string render(const items& of) {
  auto rendered = render_transaction(1, of);
  REQUIRE(rendered.has_value());
  return std::move(rendered.value());
}

ec refusal(const items& of) {
  const auto rendered = render_transaction(1, of);
  return rendered ? ec::none : rendered.error().code;
}

items as_items(const std::vector<element>& elements) {
  items views;
  for (const auto& one : elements)
    views.push_back({one.kind, one.keys, one.bytes});
  return views;
}

} // namespace

// The bytes of format 1 are in checksums of stored pins: these cases may be
// added to, never changed.
TEST_CASE("transaction format 1: events come first and always") {
  CHECK(render({}) == R"({"events":[]})");
  CHECK(render({{lane::event, "", R"({"a":1})"}}) == R"({"events":[{"a":1}]})");
  CHECK(render({{lane::event, "", "{}"}, {lane::event, "", R"({ "b" : 2 })"}})
        == R"({"events":[{},{ "b" : 2 }]})");
  CHECK(render({{lane::other, "x", "1"}, {lane::event, "", "{}"}})
        == R"({"events":[{}],"x":1})");
  CHECK(render({{lane::to_device, "to_device", "1"}})
        == R"({"events":[],"to_device":[1]})");
}

TEST_CASE("transaction format 1: lists stand by first appearance of a key") {
  CHECK(render({{lane::to_device, "to_device", "1"},
                {lane::ephemeral, "ephemeral", "2"},
                {lane::to_device, "to_device", "3"}})
        == R"({"events":[],"to_device":[1,3],"ephemeral":[2]})");
  CHECK(render({{lane::ephemeral, "de.sorunome.msc2409.ephemeral", "1"},
                {lane::ephemeral, "ephemeral", "1"}})
        == R"({"events":[],"de.sorunome.msc2409.ephemeral":[1],)"
           R"("ephemeral":[1]})");
}

TEST_CASE("transaction format 1: an item with two keys stands under both") {
  CHECK(
    render({{lane::ephemeral, "ephemeral\nde.sorunome.msc2409.ephemeral",
             R"({"type":"m.typing"})"},
            {lane::ephemeral, "ephemeral\nde.sorunome.msc2409.ephemeral", "2"}})
    == R"({"events":[],"ephemeral":[{"type":"m.typing"},2],)"
       R"("de.sorunome.msc2409.ephemeral":[{"type":"m.typing"},2]})");
  CHECK(render({{lane::to_device, "a", "1"},
                {lane::to_device, "a\nb", "2"},
                {lane::to_device, "b", "3"}})
        == R"({"events":[],"a":[1,2],"b":[2,3]})");
}

TEST_CASE("transaction format 1: whole values stand last, in order") {
  CHECK(render({{lane::other, "z", R"({ "k" : [ ] })"},
                {lane::device_lists, "device_lists", R"({"changed":["@a:b"]})"},
                {lane::key_counts, "a", R"({"@a:b":{}})"},
                {lane::ephemeral, "ephemeral", "1"},
                {lane::event, "", "2"}})
        == R"({"events":[2],"ephemeral":[1],"z":{ "k" : [ ] },)"
           R"("device_lists":{"changed":["@a:b"]},"a":{"@a:b":{}}})");
  CHECK(render({{lane::other, "", "0"}}) == R"({"events":[],"":0})");
  CHECK(render({{lane::key_counts, "a\nb", "{}"}})
        == R"({"events":[],"a":{},"b":{}})");
}

TEST_CASE("transaction format 1: keys go out as spelled, once each") {
  CHECK(render({{lane::other, R"(\ud800\")", "1"}})
        == R"({"events":[],"\ud800\"":1})");
  CHECK(render({{lane::ephemeral, R"(\u0065phemeral)", "1"},
                {lane::ephemeral, "ephemeral", "2"},
                {lane::ephemeral, R"(\u0065phemeral)", "3"}})
        == R"({"events":[],"\u0065phemeral":[1,2,3]})");
}

TEST_CASE("transaction: one key is never written twice") {
  CHECK(refusal({{lane::other, "x", "1"}, {lane::other, "x", "2"}})
        == ec::invalid_argument);
  CHECK(refusal({{lane::other, "x", "1"}, {lane::other, R"(\u0078)", "2"}})
        == ec::invalid_argument);
  CHECK(refusal({{lane::device_lists, "device_lists", "{}"},
                 {lane::device_lists, "device_lists", "{}"}})
        == ec::invalid_argument);
  CHECK(refusal({{lane::ephemeral, "x", "1"}, {lane::other, "x", "2"}})
        == ec::invalid_argument);
  CHECK(refusal({{lane::other, "x", "2"}, {lane::ephemeral, "x", "1"}})
        == ec::invalid_argument);
  CHECK(refusal({{lane::other, "events", "[]"}}) == ec::invalid_argument);
  CHECK(refusal({{lane::ephemeral, "events", "1"}}) == ec::invalid_argument);
  CHECK(refusal({{lane::ephemeral, R"(\u0065vents)", "1"}})
        == ec::invalid_argument);
  CHECK(refusal({{lane::key_counts, "a\na", "{}"}}) == ec::invalid_argument);
}

TEST_CASE("transaction: the mirrored format says ephemeral data twice") {
  constexpr const char* stable = "ephemeral";
  constexpr const char* unstable = "de.sorunome.msc2409.ephemeral";
  const auto mirrored = [](const items& of) {
    auto body = render_transaction(mirrored_format, of);
    REQUIRE(body.has_value());
    return body.value();
  };
  const std::string both
    = R"({"events":[1],"ephemeral":[2,3],)"
      R"("de.sorunome.msc2409.ephemeral":[2,3],"to_device":[4],"x":5})";
  const auto of = [](const char* keys) {
    return items{{lane::event, "", "1"},
                 {lane::ephemeral, keys, "2"},
                 {lane::ephemeral, keys, "3"},
                 {lane::to_device, "to_device", "4"},
                 {lane::other, "x", "5"}};
  };
  CHECK(mirrored(of(stable)) == both);
  CHECK(mirrored(of("ephemeral\nde.sorunome.msc2409.ephemeral")) == both);
  CHECK(mirrored({{lane::ephemeral, unstable, "2"}})
        == R"({"events":[],"de.sorunome.msc2409.ephemeral":[2],)"
           R"("ephemeral":[2]})");
  // An escape hides no spelling.
  CHECK(mirrored({{lane::ephemeral, R"(\u0065phemeral)", "2"}})
        == R"({"events":[],"\u0065phemeral":[2],)"
           R"("de.sorunome.msc2409.ephemeral":[2]})");
  CHECK(mirrored({}) == R"({"events":[]})");
  CHECK(ephemeral_keys(transaction_format, stable) == stable);
}

TEST_CASE("transaction: a format that is not known is corrupt") {
  for (const uint32_t format : {0U, 3U, 4'000'000'000U}) {
    const auto rendered = render_transaction(format, {});
    REQUIRE(!rendered);
    CHECK(rendered.error().code == ec::corrupt);
  }
  CHECK(transaction_format == 1);
  CHECK(mirrored_format == 2);
}

TEST_CASE("transaction: rendering and slicing again gives the same elements") {
  for (const auto* body :
       {R"({})", R"({"events":[{"event_id":"$a","n":1e400},{ }]})",
        R"({"ephemeral":[1],"de.sorunome.msc2409.ephemeral":[1],"events":[2]})",
        R"({"ephemeral":[1],"de.sorunome.msc2409.ephemeral":[2]})",
        R"({"to_device":[1],"x":[],"de.sorunome.msc2409.to_device":[1]})",
        R"({"ephemeral":[{"a":"\ud800"}],"device_lists":{"left":[]},"y":{}})",
        R"({"\u0065vents":[1],"\u0065phemeral":[2],"a\u0062":3,"":4})",
        R"({"device_lists":null,"device_one_time_keys_count":{"@a:b":{}}})"}) {
    CAPTURE(body);
    const auto first = slice_transaction(body);
    REQUIRE(first.has_value());
    const auto rendered = render(as_items(first.value().elements));
    const auto second = slice_transaction(rendered);
    REQUIRE(second.has_value());
    CHECK(second.value().elements == first.value().elements);
    CHECK(second.value().event_hashes == first.value().event_hashes);
    CHECK(render(as_items(second.value().elements)) == rendered);
  }
}
