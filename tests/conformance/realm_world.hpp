#pragma once

#include "persistence/realm_store.hpp"
#include "tests/conformance/stores.hpp"

#include <string>
#include <vector>

/// A realm in each of the stores, and rows for it.
namespace weir::test {

inline constexpr size_t no_bound = 1'000'000;

inline realm_event_row queued(uint64_t seq,
                              realm_class of = realm_class::progress) {
  realm_event_row row;
  row.seq = seq;
  row.event_id = "we_" + std::to_string(seq);
  row.key = "k" + std::to_string(seq);
  row.request = std::string(64, 'a');
  row.type = "app.x";
  row.importance = of;
  row.rule = {coalesce_mode::unite, "key", {"added", "a:b", ""}};
  row.size = 700;
  row.accepted_at = noon + milliseconds{static_cast<int64_t>(seq)};
  return row;
}

inline realm_send_row send_of(uint64_t seq, const std::string& room) {
  realm_send_row row;
  row.seq = seq;
  row.room = {room};
  row.version = 3;
  row.bound_at = noon;
  row.txn = "weir-" + std::to_string(seq) + room;
  return row;
}

/// A realm in a world.
template <class Where>
struct realm_world : world<Where> {
  realm_row realm;

  explicit realm_world(const std::string& id = "https://r/") {
    this->batch(
      [&] { realm = must(this->db->realms().rows.adopt({id}, "@weir:x")); });
  }
  realm_stores ports() {
    return this->db->realms();
  }
  std::vector<std::string> audience(uint64_t version) {
    std::vector<std::string> ids;
    this->batch([&] {
      for (const auto& row :
           must(ports().rows.audience(realm.no, version, "", no_bound)))
        ids.push_back(row.room.value);
    });
    return ids;
  }
};

inline std::vector<room_id> rooms(const std::vector<std::string>& ids) {
  std::vector<room_id> list;
  for (const auto& id : ids)
    list.push_back({id});
  return list;
}

using names = std::vector<std::string>;

} // namespace weir::test
