#include "actors/policy/last_words.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::policy;

namespace {

constexpr std::string_view lists_key = "org.matrix.msc3202.device_lists";
constexpr std::string_view counts_key = "device_one_time_keys_count";

/// A plain value of a device list.
owed_value list(std::string_view bytes) {
  return {lane::device_lists, lists_key, bytes, false};
}
owed_value counts(std::string_view bytes) {
  return {lane::key_counts, counts_key, bytes, false};
}

/// What is owed after the value came: each owed value, and the rest if any.
std::vector<std::string> after(const owed_value& came,
                               const std::vector<owed_value>& owed,
                               size_t bytes_max = 10'000) {
  const auto merged
    = merge_value(came.kind, came.keys, came.bytes, owed, bytes_max);
  std::vector<std::string> all;
  for (const auto& each : owed)
    all.emplace_back(each.bytes);
  for (const auto& each : merged.owed)
    all.at(each.index) = each.bytes;
  if (!merged.rest.empty())
    all.push_back(merged.rest);
  return all;
}

using values = std::vector<std::string>;

} // namespace

TEST_CASE("last words: a value that meets none keeps its bytes") {
  const auto* odd = R"({ "left":["@b"] , "changed" : ["@a"]})";
  CHECK(after(list(odd), {}) == values{odd});
  CHECK(after(list(odd), {counts(R"({"@a":{"D":1}})")}).back() == odd);
  const owed_value other{lane::device_lists, "device_lists",
                         R"({"changed":["@a"]})", false};
  CHECK(after(list(odd), {other}) == values{std::string{other.bytes}, odd});
}

TEST_CASE("last words: changed and then left gives left only") {
  CHECK(after(list(R"({"changed":[],"left":["@a"]})"),
              {list(R"({"changed":["@a","@b"],"left":[]})")})
        == values{R"({"changed":["@b"],"left":["@a"]})"});
}

TEST_CASE("last words: left and then changed gives changed only") {
  CHECK(after(list(R"({"changed":["@a"]})"),
              {list(R"({"changed":["@b"],"left":["@a","@c"]})")})
        == values{R"({"changed":["@b","@a"],"left":["@c"]})"});
}

TEST_CASE("last words: who is in both lists of one value has left") {
  CHECK(after(list(R"({"left":["@a"],"changed":["@a"]})"),
              {list(R"({"changed":["@b"]})")})
        == values{R"({"changed":["@b"],"left":["@a"]})"});
}

TEST_CASE("last words: the last value of each device wins") {
  CHECK(after(counts(R"({"@a":{"D":{"k":7},"E":{}},"@c":{"F":{"k":-0}}})"),
              {counts(R"({"@a":{"D":{"k":1}},"@b":{"D":{"k":2}}})")})
        == values{R"({"@a":{"D":{"k":7},"E":{}},"@b":{"D":{"k":2}},)"
                  R"("@c":{"F":{"k":-0}}})"});
}

TEST_CASE("last words: an empty list of fallback keys is a word") {
  CHECK(after(counts(R"({"@a":{"D":[]}})"),
              {counts(R"({"@a":{"D":["signed_curve25519"],"E":["x"]}})")})
        == values{R"({"@a":{"D":[],"E":["x"]}})"});
  CHECK(after(counts(R"({"@a":{"D":["y"]}})"), {counts(R"({"@a":{"D":[]}})")})
        == values{R"({"@a":{"D":["y"]}})"});
}

TEST_CASE("last words: how a name is escaped makes no difference") {
  CHECK(after(list(R"({"left":["@\u0061"]})"), {list(R"({"changed":["@a"]})")})
        == values{R"({"changed":[],"left":["@\u0061"]})"});
  CHECK(after(counts(R"({"@\u0061":{"D":2}})"), {counts(R"({"@a":{"D":1}})")})
        == values{R"({"@\u0061":{"D":2}})"});
}

TEST_CASE("last words: an empty name is a name") {
  CHECK(after(list(R"({"changed":[""]})"), {list(R"({"changed":["@a"]})")})
        == values{R"({"changed":["@a",""],"left":[]})"});
}

TEST_CASE("last words: each word goes to the newest value that holds it") {
  const values owed{R"({"@a":{"D":1},"@b":{"D":1}})", R"({"@a":{"D":2}})"};
  CHECK(after(counts(R"({"@a":{"D":3},"@b":{"D":3},"@c":{"D":3}})"),
              {counts(owed[0]), counts(owed[1])})
        == values{R"({"@a":{"D":1},"@b":{"D":3}})",
                  R"({"@a":{"D":3},"@c":{"D":3}})"});
}

TEST_CASE("last words: a value at its bound gets words on known devices only") {
  const std::string full = R"({"@a":{"D":1}})";
  CHECK(
    after(counts(R"({"@a":{"D":2},"@b":{"D":2}})"), {counts(full)}, full.size())
    == values{R"({"@a":{"D":2}})", R"({"@b":{"D":2}})"});
  const auto* spaced = R"({"@b": {"D":2}})";
  CHECK(after(counts(spaced), {counts(full)}, full.size())
        == values{full, spaced});
}

TEST_CASE("last words: a value grows up to its bound and not beyond it") {
  const std::string owed = R"({"@a":{"D":1}})";
  const auto came = counts(R"({"@bcd":{"EF":234},"@g":{"H":5}})");
  // Each word counts with 12 bytes of brackets and quotes.
  const auto with_first = owed.size() + 4 + 2 + 3 + 12;
  const auto with_both = with_first + 2 + 1 + 1 + 12;
  CHECK(after(came, {counts(owed)}, with_first - 1).size() == 2);
  CHECK(after(came, {counts(owed)}, with_first)
        == values{R"({"@a":{"D":1},"@bcd":{"EF":234}})", R"({"@g":{"H":5}})"});
  CHECK(after(came, {counts(owed)}, with_both - 1).size() == 2);
  CHECK(after(came, {counts(owed)}, with_both).size() == 1);
}

TEST_CASE("last words: values of other keys and kinds are in nobody's way") {
  const auto before = list(R"({"changed":["@a"]})");
  const owed_value other{lane::device_lists, "device_lists",
                         R"({"changed":["@b"]})", false};
  CHECK(after(list(R"({"left":["@a"]})"), {before, other, counts("{}")})
        == values{R"({"changed":[],"left":["@a"]})", std::string{other.bytes},
                  "{}"});
}

TEST_CASE("last words: what nothing was put together with keeps its bytes") {
  const std::string odd = R"({ "changed" : ["@b"] })";
  CHECK(after(list(R"({"left":["@a"]})"),
              {list(odd), list(R"({"changed":["@a"]})")})
        == values{odd, R"({"changed":[],"left":["@a"]})"});
}

TEST_CASE("last words: nothing passes a value that it cannot read") {
  const auto before = list(R"({"changed":["@a"]})");
  const auto came = list(R"({"left":["@a"]})");
  for (const std::string odd :
       {R"({"changed":["@b"],"removed":[]})", R"({"changed":[1]})",
        R"({"changed":{}})", R"({"changed":[],"changed":[]})",
        R"({"left":[],"left":[]})", R"({"changed":[,"@b"]})"}) {
    CAPTURE(odd);
    CHECK(after(came, {before, list(odd)})
          == values{std::string{before.bytes}, odd, std::string{came.bytes}});
    CHECK(after(list(odd), {before}) == values{std::string{before.bytes}, odd});
  }
  for (const std::string odd :
       {R"({"@a":[]})", R"({"@a":{}})", R"({"@a":{"D":1},"@b":7})",
        R"({"@a":{"D":1,"E":,"F":1}})"}) {
    CAPTURE(odd);
    const auto one = counts(R"({"@a":{"D":1}})");
    CHECK(after(counts(odd), {one}) == values{std::string{one.bytes}, odd});
    CHECK(after(one, {one, counts(odd)})
          == values{std::string{one.bytes}, odd, std::string{one.bytes}});
  }
}

TEST_CASE("last words: nothing passes a value that is joined with no other") {
  auto alone = list(R"({"changed":["@b"]})");
  alone.alone = true;
  const auto before = list(R"({"changed":["@a"]})");
  const auto came = list(R"({"left":["@a"]})");
  CHECK(after(came, {before, alone}).size() == 3);
  CHECK(after(came, {alone, before})
        == values{std::string{alone.bytes}, R"({"changed":[],"left":["@a"]})"});
}

TEST_CASE("last words: a key with an escape is left as it is") {
  const owed_value escaped{lane::device_lists, R"(device_l\u0069sts)",
                           R"({"changed":["@a"]})", false};
  const auto came = list(R"({"left":["@a"]})");
  CHECK(after(came, {list(R"({"changed":["@a"]})"), escaped}).size() == 3);
  CHECK(after(escaped, {escaped}).size() == 2);
}
