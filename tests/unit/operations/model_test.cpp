#include "actors/policy/last_words.hpp"
#include "tests/unit/operations/fixture.hpp"

#include <deque>
#include <map>
#include <random>
#include <set>

using namespace weir;
using namespace weir::test;

namespace {

constexpr uint64_t waiting_max = 4;

bool is_value(const element& item) {
  return item.kind == lane::device_lists || item.kind == lane::key_counts;
}

/// Does random things to one queue of a real store and to plain lists of what
/// is owed and of what waits behind it, and compares them after each.
template <class Where>
class twin {
public:
  explicit twin(uint64_t seed) : random_{seed} {
  }

  void step() {
    switch (below(12)) {
    case 0:
    case 1:
    case 2: accept_new(); break;
    case 3: accept_repeat(); break;
    case 4: accept_known_events(); break;
    case 5: settle_stale(); break;
    case 6:
      if (chance(0.3))
        on_.open();
      known_ = false;
      break;
    case 7: pause(); break;
    default: settle_pinned();
    }
    learn();
    compare();
  }

  /// Delivers all that is left.
  void finish() {
    while (pinned_) {
      settle(settlement::delivered);
      learn();
    }
    CHECK(owed_.empty());
    CHECK(waiting_.empty());
    check_empty(on_.row_of().value());
    CHECK(on_.row_of()->delivered_events == delivered_events_);
    CHECK(on_.letters().size() == letters_.size());
  }

private:
  uint64_t below(uint64_t bound) {
    return std::uniform_int_distribution<uint64_t>{0, bound - 1}(random_);
  }
  bool chance(double of) {
    return std::uniform_real_distribution<double>{0, 1}(random_) < of;
  }
  transaction_bounds any_bounds() {
    transaction_bounds bounds;
    bounds.events = 1 + below(12);
    bounds.ephemeral = 1 + below(4);
    bounds.to_device = 1 + below(4);
    bounds.bytes = 100 + below(2'000);
    bounds.lanes.waiting_max = waiting_max;
    return bounds;
  }

  std::string any_list(std::string_view key) {
    std::string list = ",\"" + std::string{key} + "\":[";
    for (auto n = below(5); n > 0; --n)
      list += "{\"n\":" + std::to_string(++made_) + (n > 1 ? "}," : "}");
    return list + "]";
  }
  std::string any_body() {
    const auto first = ++made_;
    made_ += below(15);
    auto body = events_json(chance(0.8) ? ids_between(first, made_)
                                        : std::vector<std::string>{},
                            below(200));
    body.pop_back();
    for (const auto* key : {"ephemeral", "de.sorunome.msc2409.to_device"})
      if (chance(0.3))
        body += any_list(key);
    if (chance(0.3))
      body += R"(,"de.sorunome.msc2409.ephemeral":[{"type":"m.typing",)"
              R"("room_id":"!)"
        + std::to_string(below(3)) + R"(","n":)" + std::to_string(++made_)
        + "}]";
    for (const auto* key : {"device_lists", "org.matrix.msc3202.device_lists"})
      if (chance(0.2))
        body += std::string{",\""} + key
          + (chance(0.5) ? R"(":{"left":["@)" : R"(":{"changed":["@)")
          + std::to_string(below(5)) + R"("]})";
    if (chance(0.2))
      body += R"(,"device_one_time_keys_count":{"@)" + std::to_string(below(3))
        + R"(":{"D":)" + std::to_string(++made_) + "}}";
    if (chance(0.1))
      body += R"(,"org.example":)" + std::to_string(++made_);
    return body + "}";
  }

  void accept_new() {
    offered what{"t" + std::to_string(++made_), any_body()};
    what.bounds = any_bounds();
    what.dedupe_events = chance(0.5);
    const auto content = must(slice_transaction(what.body));
    const auto reply = on_.accept(what);
    CHECK(reply.result == accept_result::stored);
    CHECK(reply.elements == content.elements.size());
    take_in(content.elements);
    note(reply);
    if (what.dedupe_events)
      past_.push_back(std::move(what));
  }

  void accept_repeat() {
    if (past_.empty())
      return;
    const auto reply = on_.accept(past_[below(past_.size())]);
    CHECK(reply.result == accept_result::duplicate);
    CHECK(reply.elements == 0);
    CHECK(!reply.pinned);
  }

  void accept_known_events() {
    if (past_.empty())
      return;
    auto what = past_[below(past_.size())];
    what.hs_txn_id = "again" + std::to_string(++made_);
    const auto content = must(slice_transaction(what.body));
    const auto reply = on_.accept(what);
    CHECK(reply.events_repeated == content.event_hashes.size());
    std::vector<element> others;
    for (const auto& item : content.elements)
      if (item.kind != lane::event)
        others.push_back(item);
    take_in(others);
    note(reply);
  }

  /// Events, to-device and unknown keys behind all others; the rest merged.
  void take_in(const std::vector<element>& elements) {
    const bool alone
      = std::any_of(elements.begin(), elements.end(),
                    [](const auto& item) { return item.kind == lane::other; });
    for (const auto& item : elements) {
      if (item.kind == lane::ephemeral)
        replace_waiting(item);
      if (item.kind == lane::ephemeral && !alone)
        waiting_.push_back(item);
      else if (is_value(item) && !alone)
        merge(item);
      else
        owe(item, alone);
    }
  }

  void owe(const element& item, bool alone) {
    owed_.push_back(item);
    alone_.push_back(alone);
  }

  void replace_waiting(const element& by) {
    const auto later = policy::read_ephemeral(by.keys, by.bytes);
    std::erase_if(waiting_, [&](const element& item) {
      const auto before = policy::read_ephemeral(item.keys, item.bytes);
      return before.subject != 0 && before.subject == later.subject;
    });
  }

  /// Into what is behind the pin.
  void merge(const element& item) {
    const size_t first = pinned_ ? pinned_->elements : 0;
    std::vector<policy::owed_value> unpinned;
    for (size_t i = first; i < owed_.size(); ++i)
      unpinned.push_back(
        {owed_[i].kind, owed_[i].keys, owed_[i].bytes, alone_[i]});
    auto merged
      = policy::merge_value(item.kind, item.keys, item.bytes, unpinned);
    for (auto& each : merged.owed)
      owed_[first + each.index].bytes = std::move(each.bytes);
    if (merged.rest.empty())
      return;
    auto rest = item;
    rest.bytes = merged.rest;
    owe(rest, false);
  }

  void note(const transaction_stored& reply) {
    if (reply.pinned) {
      CHECK(!pinned_); // Nobody pins while something is pinned.
      follow(reply.pinned);
    }
    learn(); // A resting queue pins and does not tell.
    while (waiting_.size() > waiting_max)
      waiting_.pop_front();
  }

  /// What was pinned beyond all that is owed is what has waited longest.
  void follow(std::optional<owed_transaction> pinned) {
    pinned_ = std::move(pinned);
    while (pinned_ && pinned_->elements > owed_.size()) {
      REQUIRE(!waiting_.empty());
      owe(waiting_.front(), false);
      waiting_.pop_front();
    }
  }

  void settle_stale() {
    if (bodies_.size() < 2)
      return;
    const auto& id = bodies_.begin()->first;
    if (pinned_ && pinned_->id.value == id)
      return;
    CHECK(on_.settle(txn_id{id}).not_current);
  }

  void settle_pinned() {
    if (!pinned_)
      return;
    const bool lone = pinned_->elements == 1;
    if (chance(0.6))
      settle(settlement::delivered);
    else if (lone)
      settle(settlement::dead_letter);
    else
      settle(chance(0.5) ? settlement::bisected : settlement::split);
  }

  void settle(settlement how) {
    settle_transaction request;
    request.appservice = {"a"};
    request.id = pinned_->id;
    request.how = how;
    request.reason = "because";
    request.bounds = any_bounds();
    const auto before = std::move(*pinned_);
    if (how == settlement::dead_letter)
      bury(owed_.front());
    const auto reply = on_.settle(request);
    CHECK(!reply.not_current);
    CHECK(!reply.no_room);
    const auto gone = static_cast<ptrdiff_t>(before.elements);
    if (how == settlement::delivered || how == settlement::dead_letter) {
      owed_.erase(owed_.begin(), owed_.begin() + gone);
      alone_.erase(alone_.begin(), alone_.begin() + gone);
    } else if (reply.next) {
      CHECK(reply.next->elements < before.elements);
    }
    follow(reply.next);
    if (how == settlement::delivered)
      delivered_events_ += before.events;
  }

  void pause() {
    if (on_.row_of())
      on_.rest(chance(0.5) ? 1h : 0ms,
               chance(0.5) ? pause_cause::own : pause_cause::peer);
  }

  /// As a queue that lost track: what is pinned is what was pinned.
  void learn() {
    if (known_ && (pinned_ || (owed_.empty() && waiting_.empty())))
      return;
    const auto loaded = on_.load("a", any_bounds());
    CHECK(!loaded.corrupt);
    if (pinned_) {
      REQUIRE(loaded.pinned);
      CHECK(loaded.pinned->id == pinned_->id);
      CHECK(loaded.pinned->body == pinned_->body);
    }
    follow(loaded.pinned);
    known_ = true;
  }

  void compare() {
    const auto row = on_.row_of();
    if (!row) {
      CHECK(owed_.empty());
      return;
    }
    uint64_t events = 0;
    uint64_t bytes = 0;
    for (const auto& item : owed_) {
      events += item.kind == lane::event;
      bytes += item.bytes.size();
    }
    CHECK(row->owed_events == events);
    CHECK(row->owed_others == owed_.size() - events);
    CHECK(row->owed_bytes == bytes);
    CHECK(row->pinned.has_value() == !owed_.empty());
    uint64_t waiting_bytes = 0;
    for (const auto& item : waiting_)
      waiting_bytes += item.bytes.size();
    CHECK(row->waiting == waiting_.size());
    CHECK(row->waiting_bytes == waiting_bytes);
    const auto waits = on_.waiting();
    REQUIRE(waits.size() == waiting_.size());
    for (size_t i = 0; i < waits.size(); ++i)
      CHECK(waits[i].bytes == waiting_[i].bytes);
    uint64_t buried = 0;
    for (const auto& [which, size] : letters_)
      buried += size;
    CHECK(letter_bytes() == buried);
    const auto rows = on_.owed();
    REQUIRE(rows.size() == owed_.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      CHECK(rows[i].item.kind == owed_[i].kind);
      CHECK(rows[i].item.keys == owed_[i].keys);
      CHECK(rows[i].item.bytes == owed_[i].bytes);
    }
    REQUIRE(pinned_.has_value() == row->pinned.has_value());
    if (pinned_)
      compare_pinned(*row, *pinned_);
  }

  void bury(const element& item) {
    const auto which = item.kind == lane::event
      ? std::string{item.bytes}
      : std::to_string(letters_.size()) + "th";
    letters_.try_emplace(which, item.bytes.size());
  }

  /// What the store says its dead letters hold.
  uint64_t letter_bytes() {
    return must(on_.ask([](store& on, batch_context&,
                           int) { return on.keep().dead_letter_bytes(); },
                        0));
  }

  /// The pinned transaction is the oldest that is owed, and its id means it.
  void compare_pinned(const queue_row& row, const owed_transaction& pinned) {
    CHECK(row.pinned->id == pinned.id);
    REQUIRE(pinned.elements <= owed_.size());
    std::vector<rendered_item> items;
    for (size_t i = 0; i < pinned.elements; ++i)
      items.push_back({owed_[i].kind, owed_[i].keys, owed_[i].bytes});
    CHECK(pinned.body.view() == must(render_transaction(1, items)));
    const auto [known, is_new]
      = bodies_.try_emplace(pinned.id.value, pinned.body.view());
    CHECK(known->second == pinned.body.view());
  }

  house<Where> on_;
  std::mt19937_64 random_;
  uint64_t made_ = 0;
  std::deque<element> owed_;
  std::deque<bool> alone_;      ///< Of each that is owed.
  std::deque<element> waiting_; ///< Ephemeral, behind all that is owed.
  std::optional<owed_transaction> pinned_;
  bool known_ = false;
  std::map<std::string, std::string> bodies_; ///< By transaction id.
  std::vector<offered> past_;
  uint64_t delivered_events_ = 0;
  /// Sizes. Equal events are kept once, and of the others each.
  std::map<std::string, size_t> letters_;
};

template <class Where>
void walk(uint64_t seeds, int steps) {
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    twin<Where> both{seed};
    for (int n = 0; n < steps; ++n)
      both.step();
    both.finish();
  }
}

} // namespace

TEST_CASE("queue: in memory it is a plain list whatever is done to it") {
  walk<on_memory>(40, 250);
}

TEST_CASE("queue: on SQLite it is a plain list whatever is done to it") {
  walk<on_sqlite>(4, 150);
}

TEST_CASE("queue: on PostgreSQL it is a plain list whatever is done to it") {
  walk<on_postgresql>(4, 150);
}
