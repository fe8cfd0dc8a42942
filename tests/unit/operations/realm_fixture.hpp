#pragma once

#include "actors/messages/realm.hpp"
#include "actors/operations/realm_audience.hpp"
#include "actors/operations/realm_bind.hpp"
#include "actors/operations/realm_settle.hpp"
#include "actors/operations/realm_submit.hpp"
#include "persistence/realm_store.hpp"
#include "tests/unit/operations/fixture.hpp"

#include <string>
#include <vector>

namespace weir::test {

inline std::vector<room_id> room_ids(const std::vector<std::string>& ids) {
  std::vector<room_id> rooms;
  for (const auto& id : ids)
    rooms.push_back({id});
  return rooms;
}

/// `!0001` to `!n`, in order.
inline std::vector<room_id> many_rooms(size_t count, size_t first = 1) {
  std::vector<room_id> rooms;
  for (size_t i = first; i < first + count; ++i) {
    auto number = std::to_string(i);
    rooms.push_back({"!" + std::string(6 - number.size(), '0') + number});
  }
  return rooms;
}

/// An offer under `key`, whose event id tells the key.
inline realm_offer offer(const std::string& key,
                         std::string content = R"({"a":1})",
                         realm_class of = realm_class::progress) {
  realm_offer what;
  what.key = key;
  what.event_id = "we_" + key;
  what.type = "app.x";
  what.importance = of;
  what.content = std::move(content);
  return what;
}

/// One that takes the place of the last queued one.
inline realm_offer replacing(const std::string& key, std::string content) {
  auto what = offer(key, std::move(content));
  what.rule.mode = coalesce_mode::replace;
  return what;
}

/// A store with one realm `r`.
template <class Where>
struct realm_house : house<Where> {
  realm_id id{"r"};

  realm_house() {
    this->feed_rows = 2'000;
  }

  /// How much later it is than the database says.
  milliseconds later{0};

  /// As that of every house, at this later time.
  template <class Operation, class Request>
  auto ask(Operation operation, const Request& request) {
    return house<Where>::ask(
      [&](store& at, batch_context& batch, const Request& what) {
        batch.now = batch.now + later;
        return operation(at, batch, what);
      },
      request);
  }

  realm_events_taken submit(const std::vector<realm_offer>& offers,
                            policy::realm_admission::bounds bounds = {}) {
    submit_realm_events request;
    request.realm = id;
    request.account = "@weir:x";
    request.offers = offers;
    request.bounds = bounds;
    auto taken = must(this->ask(operations::submit_events, request));
    check_sums();
    return taken;
  }
  offer_taken submit_one(const realm_offer& what,
                         policy::realm_admission::bounds bounds = {}) {
    return submit({what}, bounds).offers.at(0);
  }
  realm_audience_changed change(const std::vector<std::string>& add,
                                const std::vector<std::string>& remove = {}) {
    return change(room_ids(add), room_ids(remove));
  }
  realm_audience_changed change(const std::vector<room_id>& add,
                                const std::vector<room_id>& remove,
                                std::optional<uint64_t> if_version = {}) {
    change_realm_audience request;
    request.realm = id;
    request.account = "@weir:x";
    request.add = add;
    request.remove = remove;
    request.if_version = if_version;
    return must(this->ask(operations::change_audience, request));
  }
  /// An audience of any size, by as many changes as that takes.
  void subscribe_many(size_t count) {
    for (size_t done = 0; done < count;) {
      const auto some
        = std::min(count - done, limits::realm_audience_change_max);
      change(many_rooms(some, done + 1), {});
      done += some;
    }
  }
  realm_bound bind(realm_ordering ordering = realm_ordering::room,
                   bool has_turn = true, milliseconds wait = 0ms) {
    auto bound
      = must(this->ask(operations::bind_event,
                       bind_realm_event{id, ordering, wait, has_turn, {}}));
    check_sums();
    return bound;
  }
  realm_send_begun begin(const std::string& room) {
    auto begun = must(this->ask(operations::begin_send,
                                begin_realm_send{id, {room}, false, {}}));
    check_sums();
    return begun;
  }
  realm_send_settled settle(const std::string& room, const owed_send& sent,
                            send_outcome how = send_outcome::delivered) {
    settle_realm_send request;
    request.realm = id;
    request.seq = sent.seq;
    request.room = {room};
    request.txn = sent.txn;
    request.how = how;
    request.remote_id
      = how == send_outcome::delivered ? "$" + sent.event_id : "";
    request.cause = how == send_outcome::delivered ? "" : "http_4xx";
    auto settled = must(this->ask(operations::settle_send, request));
    check_sums();
    return settled;
  }
  /// Sends the head of a lane, with this outcome. Returns its event.
  std::string send(const std::string& room,
                   send_outcome how = send_outcome::delivered) {
    const auto begun = begin(room);
    if (!begun.send)
      return {};
    settle(room, *begun.send, how);
    return begun.send->event_id;
  }
  /// Binds and sends until nothing happens any more. Returns the ids of the
  /// events by room, in their order.
  std::map<std::string, std::vector<std::string>> drain() {
    std::map<std::string, std::vector<std::string>> got;
    for (int idle = 0; idle < 2;) {
      const auto bound = bind();
      idle = bound.written + bound.ended > 0 ? 0 : idle + 1;
      for (const auto& lane : lanes()) {
        got[lane.room.value].push_back(send(lane.room.value));
        idle = 0;
      }
    }
    return got;
  }

  realm_row row() {
    return must(this->where.connect_reader()->realms().realm(id)).value();
  }
  realm_event_row event(const std::string& event_id) {
    const auto found
      = must(this->where.connect_reader()->realms().event(row().no, event_id));
    REQUIRE(found);
    return *found;
  }
  std::vector<realm_send_row> sends(const std::string& event_id,
                                    size_t rows_max = 200'000) {
    const auto of = event(event_id);
    return must(this->where.connect_reader()->realms().sends(row().no, of.seq,
                                                             "", rows_max));
  }
  send_outcome outcome(const std::string& event_id, const std::string& room) {
    for (const auto& each : sends(event_id))
      if (each.room.value == room)
        return each.outcome;
    FAIL("no such send: " << event_id << " " << room);
    return send_outcome::none;
  }
  std::vector<realm_lane_row> lanes(const std::string& after = "",
                                    size_t rows_max = 1'000) {
    return look([&](store& at) {
      return at.realms().sends.lanes(row().no, after, rows_max);
    });
  }
  std::optional<realm_content_row> content(const std::string& event_id) {
    const auto seq = event(event_id).seq;
    const auto no = row().no;
    return look([&](store& at) { return at.realms().events.content(no, seq); });
  }
  template <class Look>
  auto look(Look what) {
    return must(
      this->ask([&](store& at, batch_context&, int) { return what(at); }, 0));
  }
  /// Changes the realm's row as no operation of these tests does.
  void change_row(const std::function<void(realm_row&)>& change) {
    must(this->ask(
      [&](store& at, batch_context&, int) -> expected<stored> {
        auto found = must(at.realms().rows.lock(id)).value();
        change(found);
        must(at.realms().rows.save(found));
        return stored{};
      },
      0));
  }

  /// The counters of the realm are what its rows come to.
  void check_sums() {
    const auto found = must(this->where.connect_reader()->realms().realm(id));
    if (!found)
      return;
    realm_row sums;
    look([&](store& at) -> expected<int> {
      auto& events = at.realms().events;
      for (const auto state :
           {realm_event_state::queued, realm_event_state::binding,
            realm_event_state::bound})
        for (const auto& each :
             must(events.in_state(found->no, state, 0, 1'000'000))) {
          sums.open_events += 1;
          sums.unbound += state == realm_event_state::queued ? 1 : 0;
          sums.open_bytes += each.size;
          if (each.importance == realm_class::lossy)
            sums.lossy_bytes += each.size;
          sums.unsettled += each.unsettled;
          CHECK(must(at.realms().sends.of_event(found->no, each.seq, true, "",
                                                1'000'000))
                  .size()
                == each.unsettled);
        }
      uint64_t all = 0;
      for (const auto& each : must(at.realms().rows.list(0, true, 1'000)))
        all += each.open_bytes;
      CHECK(must(at.realms().rows.queued_bytes()) == all);
      return 0;
    });
    CHECK(found->open_events == sums.open_events);
    CHECK(found->unbound == sums.unbound);
    CHECK(found->open_bytes == sums.open_bytes);
    CHECK(found->lossy_bytes == sums.lossy_bytes);
    CHECK(found->unsettled == sums.unsettled);
  }
};

} // namespace weir::test
