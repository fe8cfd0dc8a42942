#include "tests/sim/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

// What homeservers offer and what becomes of it.
namespace weir::sim {

namespace {

constexpr std::string_view mark_of_number = "\"weir_no\":";

std::string form_of(const element& item) {
  return item.keys + '\n' + item.bytes;
}

} // namespace

uint64_t number_in(std::string_view bytes) {
  const auto at = bytes.find(mark_of_number);
  if (at == std::string_view::npos)
    return 0;
  const auto digits = bytes.substr(at + mark_of_number.size());
  uint64_t no = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), no);
  return no;
}

std::string written_number(uint64_t no) {
  return std::string{mark_of_number} + std::to_string(no);
}

ledger::ledger(std::vector<bridge_rules> bridges) : bridges_(bridges.size()) {
  for (size_t i = 0; i < bridges.size(); ++i)
    bridges_[i].rules = bridges[i];
}

void ledger::report(std::string rule, std::string what) {
  if (!found_)
    found_ = violation{std::move(rule), std::move(what)};
}

uint64_t ledger::offer(size_t bridge,
                       const std::vector<offered_element>& elements,
                       milliseconds at) {
  const auto number = next_offer_++;
  auto& state = offers_[number];
  state.bridge = bridge;
  ++tick_;
  for (const auto& each : elements) {
    state.elements.push_back(each.no);
    auto& known = bridges_[bridge].elements[each.no];
    if (known.first_offer == 0 || known.removed)
      known.offered_at = at;
    if (known.first_offer == 0) {
      known.kind = each.item.kind;
      known.first_offer = number;
      known.first_offer_tick = tick_;
    }
    known.removed = false;
    known.forms.insert(form_of(each.item));
  }
  return number;
}

void ledger::answered(uint64_t offer, bool stored, milliseconds at) {
  const auto found = offers_.find(offer);
  if (found == offers_.end() || found->second.answered)
    return report("answered once", fmt::format("offer {} again", offer));
  found->second.answered = true;
  ++tick_;
  if (!stored)
    return;
  auto& to = bridges_[found->second.bridge];
  for (const auto no : found->second.elements) {
    auto& known = to.elements.at(no);
    if (known.acknowledged_tick != 0)
      continue;
    known.acknowledged_tick = tick_;
    known.acknowledged_at = at;
    known.required = true;
    if (known.processed || known.buried)
      continue;
    if (to.owed.empty())
      to.moved = std::max(to.moved, at);
    to.owed.emplace(tick_, no);
  }
}

void ledger::unanswerable(uint64_t offer) {
  offers_.erase(offer);
}

bool ledger::awaits_answer(size_t bridge) const {
  return std::any_of(offers_.begin(), offers_.end(), [&](const auto& each) {
    return each.second.bridge == bridge && !each.second.answered;
  });
}

void ledger::processed(size_t bridge, const std::string& id) {
  auto& to = bridges_[bridge];
  auto& done = to.transactions.at(id);
  ++tick_;
  if (done.processed)
    return;
  done.processed = true;
  if (done.first_tick < to.removed_tick)
    return; // It was in flight.
  for (const auto no : done.elements)
    to.owed.erase({to.elements.at(no).acknowledged_tick, no});
  for (const auto no : done.elements)
    arrive(to, id, no);
  check_order_within(to, done);
}

void ledger::arrive(bridge_state& to, const std::string& id, uint64_t no) {
  auto& arrived = to.elements.at(no);
  ++processed_;
  // In none when an old copy may hold it as a dead letter that it once was.
  const auto before = to.transactions.find(arrived.transaction);
  if (arrived.processed && before != to.transactions.end()
      && !had_cause(to, before->second))
    report("once",
           fmt::format("element {} was done in {} and again in {}", no,
                       arrived.transaction, id));
  if (arrived.removed)
    report("what is removed is gone",
           fmt::format("element {} came in {}", no, id));
  if (arrived.buried)
    report("a dead letter stays one",
           fmt::format("element {} came in {}", no, id));
  if (!arrived.processed)
    check_order(to, no, arrived);
  arrived.processed = true;
  arrived.transaction = id;
  auto& last = to.last_of_offer[lane_of_offer(arrived)];
  last = std::max(last, no);
}

/// A transaction's lanes leave one after the other, each in its order.
uint64_t ledger::lane_of_offer(const element_state& of) {
  return of.first_offer * 8 + static_cast<uint64_t>(of.kind);
}

/// Whoever was acknowledged before this one was first offered must have come
/// before it or with it, and its fellows of the same offer that stood before it
/// must have come before it.
void ledger::check_order(const bridge_state& to, uint64_t no,
                         const element_state& arrived) {
  if (!to.owed.empty() && to.owed.begin()->first < arrived.first_offer_tick)
    report("order",
           fmt::format("element {} came before element {}", no,
                       to.owed.begin()->second));
  const auto last = to.last_of_offer.find(lane_of_offer(arrived));
  if (last != to.last_of_offer.end() && last->second > no)
    report("order",
           fmt::format("element {} came after element {}", no, last->second));
}

/// In one transaction the order is that of each lane.
void ledger::check_order_within(const bridge_state& to,
                                const transaction_state& of) {
  std::array<const element_state*, 6> before{};
  for (const auto no : of.elements) {
    const auto& here = to.elements.at(no);
    auto& last = before.at(static_cast<size_t>(here.kind));
    if (last != nullptr && here.acknowledged_tick != 0
        && here.acknowledged_tick < last->first_offer_tick)
      report("order", fmt::format("element {} came behind a later one", no));
    last = &here;
  }
}

void ledger::buried(size_t bridge, std::string_view bytes) {
  auto& to = bridges_[bridge];
  const auto no = number_in(bytes);
  const auto found = to.elements.find(no);
  if (found == to.elements.end())
    return report("invented", fmt::format("dead letter {}", no));
  found->second.buried = true;
  found->second.buried_tick = ++tick_;
  to.owed.erase({found->second.acknowledged_tick, no});
}

bool ledger::all_delivered() const {
  return std::all_of(bridges_.begin(), bridges_.end(), [](const auto& each) {
    return each.owed.empty() && each.open == 0;
  });
}

void ledger::check_end() {
  for (size_t i = 0; i < bridges_.size(); ++i)
    for (const auto& [tick, no] : bridges_[i].owed)
      report("nothing is missing",
             fmt::format("element {} was acknowledged and never reached "
                         "bridge {}",
                         no, i));
  for (const auto& [number, offer] : offers_)
    if (!offer.answered)
      report("answered once", fmt::format("offer {} never", number));
}

} // namespace weir::sim
