#include "tests/sim/plan.hpp"

#include "tests/sim/dice.hpp"

#include <boost/describe/enum_to_string.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace weir::sim {

namespace {

constexpr size_t bridges_max = 4;
constexpr milliseconds shortest_run{20'000};
constexpr milliseconds longest_run{240'000};
constexpr size_t offers_each = 10;

/// Statuses that say nothing of the content, and some that do.
constexpr std::array<int64_t, 12> statuses{500, 502, 503, 504, 429, 408,
                                           401, 404, 302, 500, 503, 400};

bridge_plan make_bridge(dice& random) {
  bridge_plan result;
  result.is = static_cast<temper>(random.below(6));
  if (random.one_in(3))
    result.is = temper::plain;
  if (result.is == temper::small)
    result.bytes_max = static_cast<size_t>(random.between(1'200, 4'000));
  if (result.is == temper::rejects_poison
      || result.is == temper::hangs_on_poison
      || result.is == temper::crashes_on_poison)
    result.poisoned_one_in = static_cast<size_t>(random.between(20, 60));
  if (random.one_in(4))
    result.queue_elements_max = static_cast<size_t>(random.between(20, 120));
  if (random.one_in(2))
    result.pause_first = milliseconds{random.between(200, 6'000)};
  return result;
}

void set_amount(entry& line, dice& random) {
  switch (line.what) {
  case act::kill_actor: line.amount = random.between(0, 5); break;
  case act::database_away:
  case act::disk_full: line.amount = random.between(10, 30'000); break;
  case act::clock_step:
    line.amount = random.between(-7'200'000, 7'200'000);
    break;
  case act::yesterday: line.amount = random.between(1, 60'000); break;
  case act::answer_status:
    line.amount = statuses[random.below(statuses.size())];
    break;
  case act::retry_after:
    line.amount = random.one_in(2) ? 429 : 503;
    line.step = static_cast<uint8_t>(random.below(5));
    break;
  case act::slow: line.amount = random.between(500, 50'000); break;
  case act::outage: line.amount = random.between(1'000, 90'000); break;
  case act::wake_late: line.amount = random.between(0, 7); break;
  default: break;
  }
}

entry make_fault(const plan& of, dice& random) {
  constexpr auto first = static_cast<int64_t>(act::repeat_transaction);
  constexpr auto last = static_cast<int64_t>(act::wake_late);
  entry line;
  line.what = static_cast<act>(random.between(first, last));
  line.at = milliseconds{random.between(0, of.ends.count())};
  line.bridge = random.below(of.bridges.size());
  line.step = static_cast<uint8_t>(random.below(5));
  line.count = random.one_in(3) ? static_cast<size_t>(random.between(2, 7)) : 1;
  set_amount(line, random);
  return line;
}

entry make_traffic(const plan& of, dice& random) {
  entry line;
  line.at = milliseconds{random.between(0, of.ends.count())};
  line.bridge = random.below(of.bridges.size());
  line.amount = random.one_in(4) ? random.between(5, 30) : random.between(1, 4);
  if (random.one_in(40)) {
    line.what = act::burst;
    line.amount = random.between(150, 350);
  } else if (random.one_in(20)) {
    line.what = act::ping;
  }
  return line;
}

/// By dice of their own, so that the rest of a plan is what it was without
/// them.
void add_reloads(plan& to) {
  dice random{to.seed ^ 0x7e10adU};
  for (auto count = random.between(0, 4); count > 0; --count) {
    entry line;
    line.what = act::reload;
    line.at = milliseconds{random.between(0, to.ends.count())};
    line.bridge = random.below(to.bridges.size());
    to.entries.push_back(line);
  }
}

/// By dice of their own, too. A skip and a forced try are for queues that rest.
void add_operator(plan& to) {
  dice random{to.seed ^ 0x09e7a702U};
  for (auto count = random.between(0, 5); count > 0; --count) {
    entry line;
    line.what = static_cast<act>(
      random.between(static_cast<int64_t>(act::pause_queue),
                     static_cast<int64_t>(act::skip_current)));
    line.at = milliseconds{random.between(0, to.ends.count())};
    line.bridge = random.below(to.bridges.size());
    line.step = static_cast<uint8_t>(random.below(2));
    line.amount = random.between(100, 60'000);
    to.entries.push_back(line);
  }
}

/// Late, when there are letters, and by dice of their own.
void add_letters(plan& to) {
  dice random{to.seed ^ 0x1e77e25U};
  for (auto count = random.between(0, 4); count > 0; --count) {
    entry line;
    line.what = random.one_in(4) ? act::drop_dead : act::replay_dead;
    line.at = milliseconds{
      random.between(to.ends.count() / 3, to.ends.count() * 5 / 4)};
    line.bridge = random.below(to.bridges.size());
    line.step = static_cast<uint8_t>(random.below(2));
    to.entries.push_back(line);
  }
}

/// Of bridges that are not alone: no configuration is without one.
void add_removals(plan& to) {
  dice random{to.seed ^ 0x7e307edU};
  if (to.bridges.size() < 2 || random.one_in(2))
    return;
  for (auto count = random.between(1, 2); count > 0; --count) {
    entry line;
    line.what = act::remove_bridge;
    line.at = milliseconds{random.between(0, to.ends.count())};
    line.bridge = random.below(to.bridges.size());
    line.amount = random.between(1, 90'000);
    to.entries.push_back(line);
  }
}

/// A bridge comes back from an outage and shows it, takes what is sent for that
/// reason, and the node ends as it hears so: these meet too seldom by chance.
void add_shown_life(plan& to) {
  dice random{to.seed ^ 0xa11feU};
  if (random.one_in(2))
    return;
  const auto bridge = random.below(to.bridges.size());
  const auto lasts = random.between(25'000, 60'000);
  const auto from = random.between(0, to.ends.count());
  const auto back = from + lasts + random.between(1, 3'000);
  const auto add = [&](act what, int64_t at, size_t count, int64_t amount) {
    to.entries.push_back({what, milliseconds{at}, bridge, 0, count, amount});
  };
  add(act::outage, from, 1, lasts);
  add(act::offer, from + 1, 1, 3);
  add(act::crash_before_acknowledge, back, 1, 0);
  add(act::ping, back, 1, 1);
  to.ends = std::max(to.ends, milliseconds{back + 1});
}

} // namespace

std::string to_string(act what) {
  return boost::describe::enum_to_string(what, "unknown");
}

std::string to_string(const entry& line) {
  return fmt::format("at {} ms {} bridge={} step={} count={} amount={}",
                     line.at.count(), to_string(line.what), line.bridge,
                     line.step, line.count, line.amount);
}

std::string to_string(const bridge_plan& of) {
  return fmt::format("{} bytes_max={} queue_elements_max={} pause_first={} ms "
                     "poisoned_one_in={}",
                     boost::describe::enum_to_string(of.is, "unknown"),
                     of.bytes_max, of.queue_elements_max,
                     of.pause_first.count(), of.poisoned_one_in);
}

plan make_plan(uint64_t seed) {
  dice random{seed};
  plan result;
  result.seed = seed;
  result.fine = random.one_in(2);
  const auto bridges = 1 + random.below(bridges_max);
  for (size_t i = 0; i < bridges; ++i)
    result.bridges.push_back(make_bridge(random));
  result.ends
    = milliseconds{random.between(shortest_run.count(), longest_run.count())};
  for (size_t i = 0; i < bridges * offers_each; ++i)
    result.entries.push_back(make_traffic(result, random));
  const auto faults = random.between(3, 30);
  for (int64_t i = 0; i < faults; ++i)
    result.entries.push_back(make_fault(result, random));
  std::stable_sort(result.entries.begin(), result.entries.end(),
                   [](const entry& a, const entry& b) { return a.at < b.at; });
  add_reloads(result);
  add_shown_life(result);
  add_operator(result);
  add_letters(result);
  add_removals(result);
  return result;
}

} // namespace weir::sim
