#include "tests/sim/lane_traffic.hpp"

#include "tests/sim/dice.hpp"
#include "tests/sim/ledger.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace weir::sim {

namespace {

constexpr uint64_t rooms = 3;
constexpr uint64_t users = 4;

lane_promise make_lane_promise(dice& random) {
  lane_promise made;
  made.typing_age = milliseconds{random.between(1'000, 20'000)};
  made.ephemeral_age = milliseconds{random.between(2'000, 60'000)};
  made.waiting_max = random.below(40);
  made.mirror = random.one_in(3);
  return made;
}

} // namespace

std::vector<lane_promise> make_lane_promises(uint64_t seed, size_t bridges) {
  dice random{seed ^ 0x9e3779b97f4a7c15U};
  std::vector<lane_promise> made;
  while (made.size() < bridges)
    made.push_back(make_lane_promise(random));
  dice later{seed ^ 0xd1b54a32d192ed03U};
  for (auto& each : made) {
    each.by_ordering = later.one_in(4);
    each.gives_up_oldest = later.one_in(2);
    if (later.one_in(4))
      each.age_max = milliseconds{later.between(60'000, 600'000)};
  }
  return made;
}

uint64_t make_letter_room(uint64_t seed) {
  dice random{seed ^ 0x1e77e2b0f0U};
  return random.one_in(4) ? static_cast<uint64_t>(random.between(300, 6'000))
                          : 0;
}

policy::lane_rules lane_rules_of(const lane_promise& of) {
  return {of.typing_age, of.ephemeral_age, of.waiting_max, of.mirror};
}

ephemeral_kind ephemeral_kind_of(uint64_t no) {
  return static_cast<ephemeral_kind>(no / 2 % 4);
}

std::string ephemeral_subject(uint64_t no) {
  const auto room = no / 8 % rooms;
  const auto user = no / 3 % users;
  switch (ephemeral_kind_of(no)) {
  case ephemeral_kind::typing: return fmt::format("typing {}", room);
  case ephemeral_kind::receipt: return fmt::format("receipt {} {}", room, user);
  case ephemeral_kind::presence: return fmt::format("presence {}", user);
  case ephemeral_kind::unknown: break;
  }
  return {};
}

std::string ephemeral_bytes(uint64_t no) {
  const auto number = written_number(no);
  const auto room = no / 8 % rooms;
  const auto user = no / 3 % users;
  switch (ephemeral_kind_of(no)) {
  case ephemeral_kind::typing:
    return fmt::format(R"({{"type":"m.typing","room_id":"!r{}:x",)"
                       R"("content":{{"user_ids":[]}},{}}})",
                       room, number);
  case ephemeral_kind::receipt:
    return fmt::format(R"({{"type":"m.receipt","room_id":"!r{}:x",{},)"
                       R"("content":{{"$e{}":{{"m.read":{{"@u{}:x":)"
                       R"({{"ts":{}}}}}}}}}}})",
                       room, number, no, user, no);
  case ephemeral_kind::presence:
    return fmt::format(R"({{"type":"m.presence","sender":"@u{}:x",)"
                       R"("content":{{"presence":"online"}},{}}})",
                       user, number);
  case ephemeral_kind::unknown: break;
  }
  return fmt::format(R"({{"type":"org.example.odd","content":{{{}}}}})",
                     number);
}

/// A user who comes and goes, and one that is never heard of again.
members device_list_members(uint64_t no) {
  const auto known = fmt::format("\"@d{}:x\"", no % users);
  const auto once = fmt::format("\"@n{}:x\"", no);
  return {{device_lists_key,
           no % 3 == 0
             ? fmt::format(R"({{"changed":[{}],"left":[{}]}})", once, known)
             : fmt::format(R"({{"changed":[{},{}],"left":[]}})", known, once)}};
}

/// Of one device the counts under both spellings, and its fallback keys, which
/// are used up every other time.
members key_count_members(uint64_t no) {
  const auto of_device = [no](const std::string& value) {
    return fmt::format(R"({{"@k{}:x":{{"D{}":{}}}}})", no % 2, no / 2 % 3,
                       value);
  };
  const auto counts
    = of_device(fmt::format(R"({{"signed_curve25519":{}}})", no));
  return {{counts_key, counts},
          {misspelt_counts_key, counts},
          {fallback_key,
           of_device(no / 6 % 2 == 0 ? std::string{"[]"}
                                     : fmt::format("[\"k{}\"]", no))}};
}

std::vector<said_word> words_in(const std::string& key,
                                const std::string& bytes) {
  std::vector<said_word> words;
  const auto value = nlohmann::json::parse(bytes, nullptr, false);
  if (!value.is_object())
    return words;
  for (const auto& [user, of_user] : value.items()) {
    if (key == device_lists_key) {
      for (const auto& each : of_user) // `user` is what became of these.
        words.push_back({key + " " + each.get<std::string>(), user});
      continue;
    }
    for (const auto& [device, what] : of_user.items())
      words.push_back({key + " " + user + " " + device, what.dump()});
  }
  return words;
}

} // namespace weir::sim
