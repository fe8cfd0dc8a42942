#include "tests/sim/coverage.hpp"

#include <boost/describe/enum_to_string.hpp>
#include <boost/describe/enumerators.hpp>
#include <boost/mp11.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace weir::sim {

namespace {

template <class Enum>
std::vector<std::string> names() {
  std::vector<std::string> result;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<Enum>>(
    [&](auto each) { result.emplace_back(each.name); });
  return result;
}

/// Faults that meet steps of one kind.
struct section {
  std::string title;
  std::vector<std::string> steps;
  std::vector<act> faults;
};

std::vector<section> sections() {
  return {
    {"commits",
     names<store_step>(),
     {act::crash_before_commit, act::crash_after_commit,
      act::power_cut_before_commit, act::power_cut_after_commit,
      act::commit_lost, act::commit_answer_lost}},
    // No outage: a smaller one is sent in the moment in which it is cut.
    {"sends",
     names<send_step>(),
     {act::crash_before_send, act::crash_after_send, act::answer_status,
      act::retry_after, act::hang, act::reset_unread, act::reset_processed,
      act::torn, act::slow, act::no_connection}},
    {"queues",
     names<queue_step>(),
     {act::repeat_transaction,
      act::repeat_under_new_id,
      act::restart_homeserver,
      act::kill_actor,
      act::drain,
      act::yesterday,
      act::flush_fails,
      act::database_away,
      act::disk_full,
      act::clock_step,
      act::outage,
      act::wake_again,
      act::wake_late,
      act::reload,
      act::pause_queue,
      act::retry_now,
      act::skip_current,
      act::replay_dead,
      act::drop_dead,
      act::remove_bridge}},
    {"handlers",
     {"writer_throw", "before_ack_commit", "after_send", "after_accept_commit",
      "after_pin"},
     {act::handler_throws}},
  };
}

} // namespace

uint64_t coverage::times(act fault, const std::string& step) const {
  const auto found = cells_.find({fault, step});
  return found == cells_.end() ? 0 : found->second;
}

std::string coverage::table() const {
  std::string result;
  for (const auto& part : sections()) {
    result += fmt::format("| {} |", part.title);
    for (const auto& step : part.steps)
      result += fmt::format(" {} |", step);
    result += "\n|---|";
    for (size_t i = 0; i < part.steps.size(); ++i)
      result += "---|";
    for (const auto fault : part.faults) {
      result += fmt::format("\n| {} |", to_string(fault));
      for (const auto& step : part.steps)
        result += fmt::format(" {} |", times(fault, step));
    }
    result += "\n\n";
  }
  return result;
}

std::vector<std::string> coverage::empty() const {
  std::vector<std::string> result;
  for (const auto& part : sections())
    for (const auto fault : part.faults)
      for (const auto& step : part.steps)
        if (times(fault, step) == 0)
          result.push_back(to_string(fault) + " at " + step);
  return result;
}

uint64_t coverage::faults() const {
  uint64_t result = 0;
  for (const auto& [cell, times] : cells_)
    result += times;
  return result;
}

} // namespace weir::sim
