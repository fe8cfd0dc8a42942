#include "tests/sim/lane_ledger.hpp"

#include "schema/transaction.hpp"
#include "tests/sim/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weir::sim {

namespace {

constexpr std::string_view both_keys
  = "ephemeral\nde.sorunome.msc2409.ephemeral";

bool is_value(lane kind) {
  return kind == lane::device_lists || kind == lane::key_counts;
}

std::vector<said_word> words_of(const element& item) {
  return words_in(item.keys, item.bytes);
}

} // namespace

lane_ledger::lane_ledger(std::vector<lane_promise> promised, reporter report)
  : bridges_(promised.size()),
    report_{std::move(report)} {
  for (size_t i = 0; i < promised.size(); ++i)
    bridges_[i].promised = promised[i];
}

bool lane_ledger::is_here(lane kind) {
  return kind == lane::ephemeral || is_value(kind);
}

void lane_ledger::offered(uint64_t offer, size_t bridge,
                          const incoming_transaction& content) {
  auto& to = bridges_[bridge];
  auto& state = offers_[offer];
  state.bridge = bridge;
  const span_of_offer when{++tick_, 0};
  const bool alone
    = std::any_of(content.elements.begin(), content.elements.end(),
                  [](const auto& item) { return item.kind == lane::other; });
  for (const auto& item : content.elements) {
    const auto no = number_in(item.bytes);
    if (item.kind == lane::ephemeral) {
      to.notices[no] = {when, item.keys, item.bytes, {}, alone};
      state.notices.push_back(no);
    } else if (is_value(item.kind)) {
      for (const auto& each : words_of(item)) {
        auto& said = to.words[each.subject];
        said.push_back({when, each.value, false});
        state.words.emplace_back(each.subject, said.size() - 1);
      }
    } else {
      state.durable.push_back(no);
    }
  }
}

std::optional<lane_ledger::offer_state> lane_ledger::close(uint64_t offer) {
  auto found = offers_.extract(offer);
  if (found.empty())
    return {};
  auto& state = found.mapped();
  auto& to = bridges_[state.bridge];
  ++tick_;
  for (const auto no : state.notices)
    to.notices.at(no).when.closed = tick_;
  for (const auto& [subject, index] : state.words)
    to.words.at(subject).at(index).when.closed = tick_;
  return std::move(state);
}

void lane_ledger::answered(uint64_t offer, bool stored, milliseconds at) {
  const auto state = close(offer);
  if (!state || !stored)
    return;
  auto& to = bridges_[state->bridge];
  for (const auto no : state->durable)
    if (!to.gone.contains(no))
      to.owed.insert(no);
  for (const auto no : state->notices) {
    to.notices.at(no).acknowledged = at;
    if (const auto subject = ephemeral_subject(no); !subject.empty())
      to.newest[subject] = std::max(to.newest[subject], no);
  }
  for (const auto& [subject, index] : state->words)
    to.words.at(subject).at(index).acknowledged = true;
}

void lane_ledger::pinned(size_t bridge, const std::string& id,
                         milliseconds at) {
  auto& to = bridges_[bridge];
  if (!to.pins.contains(id))
    to.pins[id] = {at, to.owed, to.newest};
}

void lane_ledger::sent(size_t bridge, const std::string& id,
                       std::string_view body) {
  auto& to = bridges_[bridge];
  auto content = slice_transaction(body);
  if (!content || to.transactions.contains(id))
    return; // `ledger` has compared the bytes.
  const auto& here = to.transactions[id] = std::move(content.value());
  if (const auto pin = to.pins.find(id); pin != to.pins.end())
    for (const auto& item : here.elements)
      pin->second.owed.erase(number_in(item.bytes));
  for (const auto& item : here.elements)
    if (item.kind == lane::ephemeral)
      check_notice(to, id, item);
  to.pins.erase(id);
}

void lane_ledger::check_notice(bridge_state& to, const std::string& id,
                               const element& item) {
  const auto no = number_in(item.bytes);
  const auto found = to.notices.find(no);
  if (found == to.notices.end())
    return report_("invented", fmt::format("{} holds notice {}", id, no));
  auto& what = found->second;
  const auto keys
    = to.promised.mirror ? both_keys : std::string_view{what.keys};
  const bool is_spelt = to.either_spelling
    ? item.keys == what.keys || item.keys == both_keys
    : item.keys == keys;
  if (item.bytes != what.bytes || !is_spelt)
    report_("unchanged", fmt::format("notice {} in {}", no, id));
  check_against_pin(to, id, no, what);
  what.has_place = true;
}

void lane_ledger::check_against_pin(const bridge_state& to,
                                    const std::string& id, uint64_t no,
                                    const notice& what) {
  const auto pin = to.pins.find(id);
  if (pin == to.pins.end())
    return; // It is not known which commit it was.
  const auto& then = pin->second;
  const auto limit = ephemeral_kind_of(no) == ephemeral_kind::typing
    ? to.promised.typing_age
    : to.promised.ephemeral_age;
  if (knows_ages_ && what.acknowledged && then.at - *what.acknowledged >= limit)
    report_("young when pinned",
            fmt::format("notice {} in {} was {} ms old", no, id,
                        (then.at - *what.acknowledged).count()));
  if (what.has_place)
    return;
  if (!then.owed.empty())
    report_("events first",
            fmt::format("notice {} in {} before element {}", no, id,
                        *then.owed.begin()));
  const auto newest = then.newest.find(ephemeral_subject(no));
  if (newest != then.newest.end()
      && what.when.is_before(to.notices.at(newest->second).when))
    report_("last word",
            fmt::format("notice {} in {} beside {}", no, id, newest->second));
}

void lane_ledger::processed(size_t bridge, const std::string& id) {
  auto& to = bridges_[bridge];
  if (!to.done.insert(id).second)
    return;
  for (const auto& item : to.transactions[id].elements)
    hear(to, id, item);
}

void lane_ledger::leave(bridge_state& to, uint64_t no) {
  to.gone.insert(no);
  to.owed.erase(no);
  for (auto& [unused, pin] : to.pins)
    pin.owed.erase(no);
}

void lane_ledger::hear(bridge_state& to, const std::string& id,
                       const element& item) {
  if (is_value(item.kind)) {
    for (const auto& each : words_of(item))
      learn(to, id, each);
    return;
  }
  const auto no = number_in(item.bytes);
  if (item.kind != lane::ephemeral)
    return leave(to, no);
  const auto subject = ephemeral_subject(no);
  if (subject.empty())
    return;
  auto& heard = to.heard[subject];
  if (heard != 0 && to.notices.at(no).when.is_before(to.notices.at(heard).when))
    report_("last word",
            fmt::format("notice {} in {} after {}", no, id, heard));
  heard = no;
}

/// Of equal words the last is meant. Counts are never equal, so that of them
/// the order shows too.
void lane_ledger::learn(bridge_state& to, const std::string& id,
                        const said_word& what) {
  const auto& said = to.words[what.subject];
  const auto found
    = std::find_if(said.rbegin(), said.rend(),
                   [&](const auto& each) { return each.value == what.value; });
  if (found == said.rend())
    return report_(
      "invented",
      fmt::format("{} says {} of {}", id, what.value, what.subject));
  const auto index = static_cast<size_t>(said.rend() - found) - 1;
  const auto before = to.known.find(what.subject);
  const bool is_count = what.subject.starts_with(counts_key)
    || what.subject.starts_with(misspelt_counts_key);
  if (is_count && before != to.known.end()
      && said[index].when.is_before(said[before->second].when))
    report_(
      "last word",
      fmt::format("{} says {} of {} again", id, what.value, what.subject));
  to.known[what.subject] = index;
}

bool lane_ledger::buried(size_t bridge, std::string_view bytes) {
  auto& to = bridges_[bridge];
  const auto no = number_in(bytes);
  if (no != 0) {
    leave(to, no);
    return to.notices.contains(no);
  }
  // A value: its words are with a person now.
  for (auto& [unused, said] : to.words)
    for (auto& each : said)
      each.acknowledged = false;
  return true;
}

void lane_ledger::put_back() {
  for (auto& to : bridges_)
    forget(to);
}

void lane_ledger::forget(bridge_state& to) {
  to.owed.clear();
  to.newest.clear();
  to.heard.clear();
  to.known.clear();
  to.pins.clear();
  for (auto& [unused, said] : to.words)
    for (auto& each : said)
      each.acknowledged = false;
}

void lane_ledger::check_end() {
  for (size_t i = 0; i < bridges_.size(); ++i)
    for (const auto& [subject, said] : bridges_[i].words) {
      const auto last
        = std::find_if(said.rbegin(), said.rend(),
                       [](const auto& each) { return each.acknowledged; });
      if (last == said.rend())
        continue;
      const auto known = bridges_[i].known.find(subject);
      if (known == bridges_[i].known.end()
          || said[known->second].when.is_before(last->when))
        report_("last word",
                fmt::format("bridge {} was never told {} of {}", i, last->value,
                            subject));
    }
}

} // namespace weir::sim
