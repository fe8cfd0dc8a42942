#include "tests/bench/scenario.hpp"

#include "tests/bench/statistics.hpp"

#include <algorithm>
#include <thread>

namespace bench {

namespace {

/// Connections, prepared statements and the first pages of every table.
constexpr uint64_t warm_up_transactions = 3;

/// All homeservers at once; in order of the appservices.
std::vector<load_times> run_all(std::vector<homeserver>& from,
                                const load_plan& plan) {
  std::vector<load_times> times(from.size());
  std::vector<std::thread> threads;
  for (size_t at = 0; at < from.size(); ++at)
    threads.emplace_back([&, at] { times[at] = from[at].run(plan); });
  for (auto& each : threads)
    each.join();
  return times;
}

/// From each event's send to its arrival; `first` is the first one's number.
void add_latencies(const load_times& times, const received& at_bridge,
                   uint64_t first, size_t events, std::vector<double>& to) {
  for (size_t at = 0; at < times.sent_ns.size(); ++at) {
    const auto arrived = at_bridge.arrived_ns[first + at * events];
    to.push_back(static_cast<double>(arrived - times.sent_ns[at]) / 1e6);
  }
}

} // namespace

figures measure_one(contestant which, const places& at, const scenario& of) {
  const bool delivers = of.what != measure::accepted;
  sink bridges{of.appservices, delivers};
  const subject running{which, at, bridges, of.appservices};
  std::vector<homeserver> homeservers;
  for (size_t each = 0; each < of.appservices; ++each)
    homeservers.emplace_back(running.port(each), subject::target(each),
                             subject::token(each));
  auto warm_up = of.plan;
  warm_up.transactions = warm_up_transactions;
  run_all(homeservers, warm_up);
  const auto warm_events = warm_up_transactions * of.plan.events;
  const auto events_each = of.plan.transactions * of.plan.events;
  if (delivers)
    bridges.wait_for(warm_events);

  const double cpu_before = running.cpu_seconds();
  const auto times = run_all(homeservers, of.plan);
  if (delivers)
    bridges.wait_for(warm_events + events_each);
  const double cpu = running.cpu_seconds() - cpu_before;

  figures made;
  int64_t begun = times.front().sent_ns.front();
  int64_t ended = 0;
  std::vector<double> each_ms;
  for (size_t each = 0; each < of.appservices; ++each) {
    const auto got = bridges.of(each);
    if (!got.fault.empty())
      give_up(got.fault);
    made.repeats += got.repeats;
    begun = std::min(begun, times[each].sent_ns.front());
    ended = std::max(ended,
                     delivers ? got.arrived_ns.back() : times[each].ended_ns);
    if (delivers)
      add_latencies(times[each], got, warm_events, of.plan.events, each_ms);
    else
      each_ms.insert(each_ms.end(), times[each].accept_ms.begin(),
                     times[each].accept_ms.end());
  }
  const auto events = static_cast<double>(events_each * of.appservices);
  made.worst = quantile(each_ms, 0.99);
  made.result = of.what == measure::latency
    ? median(each_ms)
    : events * 1e9 / static_cast<double>(ended - begun);
  made.cpu_us = cpu * 1e6 / events;
  return made;
}

} // namespace bench
