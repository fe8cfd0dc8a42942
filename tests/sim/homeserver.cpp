#include "tests/sim/homeserver.hpp"

#include "schema/error.hpp"
#include "schema/transaction.hpp"
#include "tests/sim/bridge.hpp"
#include "tests/sim/lane_ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace weir::sim {

namespace {

constexpr size_t events_max = 100; ///< Of one transaction, as Synapse.
constexpr milliseconds first_pause{1'000};
constexpr milliseconds longest_pause{32'000};
/// Each that a bridge hangs on costs a quarter of an hour to find.
constexpr size_t poisoned_max = 6;
/// So long it takes to come back.
constexpr milliseconds restart_takes{3'000};

/// The top-level key of each lane, as Synapse writes it.
constexpr const char* to_device_key = "de.sorunome.msc2409.to_device";
constexpr const char* other_key = "org.example.unknown";

} // namespace

homeserver::homeserver(size_t index, bridge_plan to, uint64_t seed)
  : index_{index},
    plan_{to},
    random_{seed ^ (index + 77)} {
}

void homeserver::have(size_t events, bool with_others, milliseconds) {
  const auto add = [&](lane kind) {
    thing made{next_no_++, kind, random_.below(300), false};
    if (random_.one_in(25))
      made.padding = 2'000;
    made.poisoned = kind == lane::event && poisoned_ < poisoned_max
      && plan_.poisoned_one_in > 0 && random_.one_in(plan_.poisoned_one_in);
    poisoned_ += made.poisoned ? 1 : 0;
    queue_.push_back(made);
  };
  for (size_t i = 0; i < events; ++i) {
    add(lane::event);
    if (with_others && random_.one_in(4))
      add(lane::to_device);
    if (with_others && random_.one_in(3))
      add(lane::ephemeral);
  }
  constexpr std::array whole_values{lane::device_lists, lane::key_counts,
                                    lane::key_counts, lane::other};
  if (with_others && random_.one_in(3))
    add(whole_values.at(random_.below(whole_values.size())));
}

void homeserver::restart(milliseconds now) {
  queue_.clear();
  next_id_ = 1;
  waits_ = false;
  pause_ = milliseconds{0};
  rests_until_ = now + restart_takes;
  if (open_.empty())
    return;
  // It stored that there is a transaction, and the ids of its events.
  auto again = std::move(open_.front());
  open_.clear();
  again.id = std::to_string(next_id_++);
  again.tries = 1;
  if (random_.one_in(2))
    open_.push_back(std::move(again));
}

void homeserver::repeat(bool under_new_id) {
  if (!last_ || waits_)
    return;
  auto again = *last_;
  again.tries += 1;
  if (under_new_id)
    again.id = std::to_string(next_id_++);
  open_.push_back(std::move(again));
}

std::optional<milliseconds> homeserver::next_at() const {
  if (waits_ || (open_.empty() && queue_.empty()))
    return {};
  return rests_until_;
}

/// Closes the next transaction: the oldest that it has, whole values once.
void homeserver::close_next() {
  transaction made{std::to_string(next_id_++), {}, 0};
  size_t events = 0;
  while (!queue_.empty()) {
    const auto& first = queue_.front();
    const bool is_whole = first.kind > lane::to_device;
    const bool is_there
      = std::any_of(made.things.begin(), made.things.end(),
                    [&](const auto& each) { return each.kind == first.kind; });
    if ((is_whole && is_there)
        || (first.kind == lane::event && ++events > events_max))
      break;
    made.things.push_back(first);
    queue_.pop_front();
  }
  open_.push_back(std::move(made));
}

std::optional<hs_transaction> homeserver::next(milliseconds now) {
  const auto when = next_at();
  if (!when || *when > now)
    return {};
  if (open_.empty())
    close_next();
  auto& sends = open_.front();
  // Later tries are made from the stored ids of events alone.
  if (sends.tries > 0)
    std::erase_if(sends.things,
                  [](const auto& each) { return each.kind != lane::event; });
  auto sliced = slice_transaction(body_of(sends));
  WEIR_ASSERT(sliced.has_value());
  hs_transaction result{sends.id, std::move(sliced.value()), {}};
  for (const auto& item : result.content.elements)
    if (!lane_ledger::is_here(item.kind))
      result.elements.push_back({number_in(item.bytes), item});
  ++sends.tries;
  waits_ = true;
  return result;
}

void homeserver::answered(bool stored, milliseconds now) {
  if (!waits_)
    return;
  waits_ = false;
  if (!stored) {
    pause_ = std::clamp(pause_ * 2, first_pause, longest_pause);
    rests_until_ = now + pause_;
    return;
  }
  pause_ = milliseconds{0};
  rests_until_ = now;
  last_ = std::move(open_.front());
  open_.pop_front();
}

std::string homeserver::bytes_of(const thing& what, size_t tries) const {
  const auto number = written_number(what.no);
  const std::string padding(what.padding, 'x');
  switch (what.kind) {
  case lane::event:
    return fmt::format(R"({{"event_id":"${}-{}","type":"m.room.message",)"
                       R"("room_id":"!r:x","age":{},{}{}{},"body":"{}"}})",
                       index_, what.no, 100 * tries + what.no,
                       what.poisoned ? poison_mark : "",
                       what.poisoned ? "," : "", number, padding);
  case lane::to_device:
    return fmt::format(R"({{"type":"m.room_key","content":{{{}}}}})", number);
  case lane::ephemeral: return ephemeral_bytes(what.no);
  default: break;
  }
  return fmt::format("{{{}}}", number);
}

std::string homeserver::body_of(const transaction& what) const {
  std::string body = "{";
  const auto list = [&](const char* key, lane kind, bool always) {
    std::string items;
    for (const auto& each : what.things)
      if (each.kind == kind)
        items += (items.empty() ? "" : ",") + bytes_of(each, what.tries);
    if (!items.empty() || always)
      body += fmt::format(R"({}"{}":[{}])", body.size() > 1 ? "," : "", key,
                          items);
  };
  list("events", lane::event, true);
  list(ephemeral_key, lane::ephemeral, false);
  list(to_device_key, lane::to_device, true);
  const auto whole = [&](const thing& of) -> members {
    switch (of.kind) {
    case lane::device_lists: return device_list_members(of.no);
    case lane::key_counts: return key_count_members(of.no);
    case lane::other: return {{other_key, bytes_of(of, what.tries)}};
    default: return {};
    }
  };
  for (const auto& each : what.things)
    for (const auto& [key, value] : whole(each))
      body += fmt::format(R"(,"{}":{})", key, value);
  return body + "}";
}

} // namespace weir::sim
