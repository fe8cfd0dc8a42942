#include "actors/policy/ephemeral.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::policy;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view key = "ephemeral";

std::string typing(const std::string& room, const std::string& who = "") {
  return R"({"type":"m.typing","room_id":")" + room
    + R"(","content":{"user_ids":[)" + who + "]}}";
}

std::string presence(const std::string& who,
                     const std::string& how = "online") {
  return R"({"type":"m.presence","sender":")" + who
    + R"(","content":{"presence":")" + how + R"("}})";
}

/// `content` is what stands in `content`.
std::string receipts(const std::string& room, const std::string& content) {
  return R"({"content":)" + content + R"(,"room_id":")" + room
    + R"(","type":"m.receipt"})";
}

std::string receipt(const std::string& room, const std::string& user,
                    const std::string& event = "$e") {
  return receipts(
    room, R"({")" + event + R"(":{"m.read":{")" + user + R"(":{"ts":1}}}})");
}

std::vector<bool> again(const std::vector<std::string>& oldest_first) {
  std::vector<ephemeral_content> all;
  for (const auto& each : oldest_first)
    all.push_back(read_ephemeral(key, each));
  return said_again(all);
}

using verdicts = std::vector<bool>;

} // namespace

TEST_CASE("ephemeral: of who types in a room only the last counts") {
  CHECK(again({typing("!a", R"("@x")"), typing("!b"), typing("!a")})
        == verdicts{true, false, false});
}

TEST_CASE("ephemeral: of somebody's presence only the last counts") {
  CHECK(again({presence("@a"), presence("@b"), presence("@a", "offline")})
        == verdicts{true, false, false});
}

TEST_CASE("ephemeral: a receipt replaces that user's in that room") {
  CHECK(again({receipt("!a", "@x", "$1"), receipt("!a", "@y", "$1"),
               receipt("!b", "@x", "$1"), receipt("!a", "@x", "$2")})
        == verdicts{true, false, false, false});
}

TEST_CASE("ephemeral: receipts of another type or thread replace nothing") {
  const auto in_thread = [](const std::string& thread) {
    return receipts(
      "!a", R"({"$e":{"m.read":{"@x":{"thread_id":")" + thread + R"("}}}})");
  };
  CHECK(again({receipt("!a", "@x"),
               receipts("!a", R"({"$e":{"m.read.private":{"@x":{}}}})"),
               in_thread("main"), in_thread("$t"), in_thread("main")})
        == verdicts{false, false, true, false, false});
}

TEST_CASE("ephemeral: many receipts at once go when each is said again") {
  const auto both = receipts(
    "!a", R"({"$1":{"m.read":{"@x":{"ts":1}}},"$2":{"m.read":{"@y":{}}}})");
  CHECK(again({both, receipt("!a", "@x")}) == verdicts{false, false});
  CHECK(again({both, receipt("!a", "@x"), receipt("!a", "@y")})
        == verdicts{true, false, false});
  CHECK(again({receipt("!a", "@x"), receipt("!a", "@y"), both})
        == verdicts{true, true, false});
}

TEST_CASE("ephemeral: what it does not know is never replaced") {
  for (const std::string odd :
       {R"({"type":"org.example","room_id":"!a"})", R"({"type":"m.typing"})",
        R"({"type":"m.presence","room_id":"!a"})", R"("m.typing")", "null",
        R"({"type":"m.receipt","room_id":"!a","content":{}})",
        R"({"type":"m.receipt","room_id":"!a","content":{"$e":[]}})",
        R"({"type":"m.receipt","room_id":"!a","content":{"$e":{"m.read":1}}})",
        R"({"type":"m.receipt","room_id":"!a","content":{"$":{"r":{"u":2}}}})",
        R"({"type":1,"room_id":"!a"})",
        R"({"type":"m.typing","room_id":"!a","x":,"y":1})"}) {
    CAPTURE(odd);
    CHECK(read_ephemeral(key, odd).words.empty());
    CHECK(read_ephemeral(key, odd).subject == 0);
    CHECK(again({odd, odd, typing("!a"), receipt("!a", "@x")})
          == verdicts{false, false, false, false});
  }
}

TEST_CASE("ephemeral: how a string is escaped makes no difference") {
  CHECK(again({typing("!a"),
               R"({"\u0074ype":"m.\u0074yping",)"
               R"("room_id":"!\u0061"})"})
        == verdicts{true, false});
}

TEST_CASE("ephemeral: elements under other keys are about others") {
  const auto one = read_ephemeral("ephemeral", typing("!a"));
  const auto other
    = read_ephemeral("de.sorunome.msc2409.ephemeral", typing("!a"));
  CHECK(one.subject != other.subject);
  CHECK(one.subject == read_ephemeral("ephemeral", typing("!a", "1")).subject);
}

TEST_CASE("ephemeral: typing is old sooner than the rest") {
  const lane_rules rules{.typing_age = 30s, .ephemeral_age = 1h};
  const stored_time at{1'000'000};
  const auto types = read_ephemeral(key, typing("!a"));
  const auto other = read_ephemeral(key, receipt("!a", "@x"));
  CHECK(!too_old(types, at, at + 29'999ms, rules));
  CHECK(too_old(types, at, at + 30s, rules));
  CHECK(!too_old(other, at, at + 3'599'999ms, rules));
  CHECK(too_old(other, at, at + 1h, rules));
  CHECK(!too_old(types, at, at - 1h, rules)); // The clock was put back.
}

TEST_CASE("ephemeral: the oldest go until both bounds hold") {
  const std::vector<uint64_t> sizes{10, 20, 30};
  CHECK(beyond_bounds(sizes, 3, 60, 3, 60) == 0);
  CHECK(beyond_bounds(sizes, 3, 60, 2, 60) == 1);
  CHECK(beyond_bounds(sizes, 3, 60, 3, 59) == 1);
  CHECK(beyond_bounds(sizes, 3, 60, 3, 49) == 2);
  CHECK(beyond_bounds(sizes, 3, 60, 0, 60) == 3);
  CHECK(beyond_bounds(sizes, 9, 90, 0, 0) == 3); // Not all were told.
}
