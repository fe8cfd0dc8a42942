#include "tests/sim/lane_ledger.hpp"

#include "schema/transaction.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace weir;
using namespace weir::sim;

namespace {

/// Numbers of notices of one subject, which follow from the numbers.
struct subject_numbers {
  uint64_t first = 0;
  uint64_t second = 0;
};

subject_numbers same_subject(ephemeral_kind kind) {
  subject_numbers found;
  for (uint64_t no = 1; found.second == 0; ++no) {
    if (ephemeral_kind_of(no) != kind)
      continue;
    if (found.first == 0)
      found.first = no;
    else if (ephemeral_subject(no) == ephemeral_subject(found.first))
      found.second = no;
  }
  return found;
}

std::string event(uint64_t no) {
  return fmt::format(R"({{"event_id":"${}","weir_no":{}}})", no, no);
}

std::string with(const members& of) {
  std::string body = R"({"events":[])";
  for (const auto& [key, value] : of)
    body += fmt::format(R"(,"{}":{})", key, value);
  return body + "}";
}

std::string notices(const std::vector<uint64_t>& numbers,
                    const std::string& events = "",
                    const char* key = ephemeral_key) {
  std::string items;
  for (const auto no : numbers)
    items += (items.empty() ? "" : ",") + ephemeral_bytes(no);
  return fmt::format(R"({{"events":[{}],"{}":[{}]}})", events, key, items);
}

/// One bridge and what the checkers have said.
struct one_bridge {
  std::vector<std::string> rules;
  lane_ledger of;
  uint64_t offers = 0;

  explicit one_bridge(lane_promise promised = {})
    : of{{promised}, [this](const std::string& rule, const std::string&) {
           rules.push_back(rule);
         }} {
  }

  void take_in(const std::string& body, milliseconds at = milliseconds{0}) {
    const auto content = slice_transaction(body);
    REQUIRE(content.has_value());
    of.offered(++offers, 0, content.value());
    of.answered(offers, true, at);
  }
  void send(const std::string& id, const std::string& body,
            milliseconds pinned_at = milliseconds{0}) {
    of.pinned(0, id, pinned_at);
    of.sent(0, id, body);
  }
  void deliver(const std::string& id, const std::string& body) {
    send(id, body);
    of.processed(0, id);
  }
  /// The one rule that was broken.
  std::string broken() {
    return rules.empty() ? "" : rules.front();
  }
};

constexpr milliseconds hour{3'600'000};

} // namespace

TEST_CASE("sim_lanes: traffic is what its numbers say") {
  for (uint64_t no = 1; no < 200; ++no) {
    const auto content = slice_transaction(notices({no}));
    REQUIRE(content.has_value());
    CHECK(content.value().elements.size() == 1);
    for (const auto& of : {device_list_members(no), key_count_members(no)})
      for (const auto& [key, value] : of)
        CHECK(!words_in(key, value).empty());
  }
  const auto [a, b] = same_subject(ephemeral_kind::typing);
  CHECK(a < b);
  CHECK(ephemeral_bytes(a) != ephemeral_bytes(b));
}

TEST_CASE("sim_lanes: what is as promised breaks nothing") {
  one_bridge on;
  const auto [a, b] = same_subject(ephemeral_kind::receipt);
  on.take_in(notices({a, b}, event(1)));
  on.take_in(with(device_list_members(3)));
  on.deliver("t1", notices({b}, event(1)));
  on.deliver("t2", with(device_list_members(3)));
  on.of.check_end();
  CHECK(on.broken() == "");
}

TEST_CASE("sim_lanes: a notice that nobody wrote so is found") {
  one_bridge on;
  on.take_in(notices({1}));
  on.send("t1", notices({2}));
  CHECK(on.broken() == "invented");
  one_bridge spelt;
  spelt.take_in(notices({1}));
  spelt.send("t1", notices({1}, "", "de.sorunome.msc2409.ephemeral"));
  CHECK(spelt.broken() == "unchanged");
  one_bridge mirrored{{.mirror = true}};
  mirrored.take_in(notices({1}));
  mirrored.send("t1", notices({1}));
  CHECK(mirrored.broken() == "unchanged");
}

TEST_CASE("sim_lanes: a notice that was too old when pinned is found") {
  const auto [a, unused] = same_subject(ephemeral_kind::typing);
  one_bridge on{{.typing_age = milliseconds{5}, .ephemeral_age = hour}};
  on.take_in(notices({a}), milliseconds{100});
  on.of.pinned(0, "t1", milliseconds{104});
  on.of.pinned(0, "t1", milliseconds{200}); // Saved once more.
  on.of.sent(0, "t1", notices({a}));
  CHECK(on.broken() == "");
  one_bridge late{{.typing_age = milliseconds{5}, .ephemeral_age = hour}};
  late.take_in(notices({a}), milliseconds{100});
  late.send("t1", notices({a}), milliseconds{105});
  CHECK(late.broken() == "young when pinned");
}

TEST_CASE("sim_lanes: a notice before what is owed is found") {
  one_bridge on;
  on.take_in(notices({1}, event(9)));
  on.send("t1", notices({1}));
  CHECK(on.broken() == "events first");
  one_bridge later;
  later.take_in(notices({1}));
  later.of.pinned(0, "t1", milliseconds{0});
  later.take_in(notices({}, event(9))); // It came behind the pin.
  later.of.sent(0, "t1", notices({1}));
  CHECK(later.broken() == "");
}

TEST_CASE("sim_lanes: a notice beside its successor is found") {
  const auto [a, b] = same_subject(ephemeral_kind::presence);
  one_bridge on;
  on.take_in(notices({a}));
  on.take_in(notices({b}));
  on.send("t1", notices({a}));
  CHECK(on.broken() == "last word");
}

TEST_CASE("sim_lanes: an older notice after a newer one is found") {
  const auto [a, b] = same_subject(ephemeral_kind::presence);
  one_bridge on;
  on.take_in(notices({a}));
  on.send("t1", notices({a})); // It has its place.
  on.take_in(notices({b}));
  on.deliver("t2", notices({b}));
  CHECK(on.broken() == "");
  on.deliver("t3", notices({a}));
  CHECK(on.broken() == "last word");
}

TEST_CASE("sim_lanes: a word that never came is found") {
  one_bridge on;
  on.take_in(with(key_count_members(1)));
  on.of.check_end();
  CHECK(on.broken() == "last word");
}

TEST_CASE("sim_lanes: an empty list that never came is found") {
  const std::string user = R"({"@k":{"D":)";
  one_bridge on;
  on.take_in(with({{fallback_key, user + R"(["k"]}})"}}));
  on.take_in(with({{fallback_key, user + "[]}}"}}));
  on.deliver("t1", with({{fallback_key, user + R"(["k"]}})"}}));
  on.of.check_end();
  CHECK(on.broken() == "last word");
}

TEST_CASE("sim_lanes: an older count after a newer one is found") {
  const auto count = [](int n) {
    return with({{counts_key, fmt::format(R"({{"@k":{{"D":{}}}}})", n)}});
  };
  one_bridge on;
  on.take_in(count(1));
  on.take_in(count(2));
  on.deliver("t1", count(2));
  CHECK(on.broken() == "");
  on.deliver("t2", count(1));
  CHECK(on.broken() == "last word");
}

TEST_CASE("sim_lanes: a word that nobody said is found") {
  one_bridge on;
  on.take_in(with(device_list_members(3)));
  on.deliver("t1", with(device_list_members(4)));
  CHECK(on.broken() == "invented");
}

TEST_CASE("sim_lanes: what a person has is owed no more") {
  one_bridge on;
  on.take_in(with(key_count_members(1)));
  CHECK(on.of.buried(0, key_count_members(1)[0].second));
  on.of.check_end();
  CHECK(on.broken() == "");
  on.take_in(notices({2}, event(1)));
  CHECK(!on.of.buried(0, event(1)));
  CHECK(on.of.buried(0, ephemeral_bytes(2)));
}

TEST_CASE("sim_lanes: what is pinned may be spelt as it was before a change") {
  lane_promise promised;
  promised.mirror = true;
  one_bridge on{promised};
  on.take_in(notices({1}));
  SUBCASE("when there was one") {
    on.of.spelt_anew(0);
    on.send("t1", notices({1}));
    CHECK(on.broken() == "");
  }
  SUBCASE("and else not") {
    on.send("t1", notices({1}));
    CHECK(on.broken() == "unchanged");
  }
}
