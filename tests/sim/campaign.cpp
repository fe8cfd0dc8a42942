#include "tests/sim/campaign.hpp"

#include "actors/trace/recorder.hpp"

#include <fmt/format.h>

#include <ctime>
#include <fstream>

namespace weir::sim {

namespace {

/// Runs that one shrinking may take.
constexpr size_t shrink_tries_max = 400;

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::string listed(const kept_lines& lines) {
  return fmt::format("{}", fmt::join(lines, ","));
}

const char* name_of(store_kind store) {
  return store == store_kind::memory ? "memory" : "sqlite";
}

void tell_failure(const campaign_options& options, const plan& of,
                  const kept_lines& lines, const violation& found) {
  fmt::print("FAILED seed={} commit={} store={} rule=\"{}\"\n  {}\n", of.seed,
             options.commit, name_of(options.how.store), found.rule,
             found.what);
  for (size_t i = 0; i < of.bridges.size(); ++i)
    fmt::print("  bridge {}: {}\n", i, to_string(of.bridges[i]));
  for (const auto line : lines)
    fmt::print("  {:>3}: {}\n", line, to_string(of.entries[line]));
  fmt::print("again: tests/sim/run --seed {} --store {} --only {} --tell\n",
             of.seed, name_of(options.how.store), listed(lines));
}

/// Runs it once more and writes down what each actor was given and did.
void write_trace(const campaign_options& options, const plan& of) {
  const auto lines = std::make_shared<trace::memory_sink>();
  trace::recorder_options all;
  all.with_content = true; // Nobody's messages are in it.
  trace::start(lines, all);
  run_plan(of, options.how);
  trace::stop();
  const auto name = fmt::format("sim-{}.jsonl", of.seed);
  std::ofstream file{name};
  for (const auto& line : lines->lines())
    file << line << '\n';
  fmt::print("trace: weir trace show {}{}\n", name,
             file ? "" : " (it could not be written)");
}

void explain(const campaign_options& options, const plan& of, kept_lines lines,
             violation found) {
  if (options.shrinks) {
    lines = shrink(
      of, std::move(lines),
      [&](const plan& fewer) {
        const auto again = run_plan(fewer, options.how);
        if (!again.found || again.found->rule != found.rule)
          return false;
        found = *again.found;
        return true;
      },
      shrink_tries_max);
  }
  tell_failure(options, of, lines, found);
  write_trace(options, only(of, lines));
}

/// All runs together.
struct totals {
  coverage covered;
  uint64_t runs = 0;
  uint64_t transactions = 0;
  uint64_t elements = 0;
  uint64_t faults = 0;
  uint64_t restarts = 0;
  uint64_t history = 0;
  milliseconds lasted{0};

  void add(const run_result& one) {
    covered.add(one.covered);
    ++runs;
    transactions += one.transactions;
    elements += one.elements;
    faults += one.faults;
    restarts += one.restarts;
    history = history * 31 + one.history;
    lasted += one.lasted;
  }
};

void tell_totals(const totals& all, double seconds) {
  const auto rate = [&](uint64_t count) {
    return static_cast<double>(count) / std::max(seconds, 0.001);
  };
  fmt::print("{} runs, {} transactions, {} elements, {} faults, {} starts of "
             "the node, {:.1f} virtual hours, history {:016x}\n",
             all.runs, all.transactions, all.elements, all.faults, all.restarts,
             static_cast<double>(all.lasted.count()) / 3'600'000.0,
             all.history);
  fmt::print("a second of the processor: {:.1f} runs, {:.0f} transactions, "
             "{:.0f} faults\n",
             rate(all.runs), rate(all.transactions), rate(all.faults));
}

} // namespace

bool run_campaign(const campaign_options& options) {
  totals all;
  const auto begun = processor_seconds();
  const auto seconds = options.minutes * 60;
  fmt::print("seeds from {} on, store {}\n", options.first_seed,
             name_of(options.how.store));
  while (all.runs < options.seeds || processor_seconds() - begun < seconds) {
    const auto of = make_plan(options.first_seed + all.runs);
    const auto lines = options.only.value_or(all_lines(of));
    const auto result = run_plan(only(of, lines), options.how);
    for (const auto& line : result.lines)
      fmt::print("{}\n", line);
    all.add(result);
    if (!result.found)
      continue;
    explain(options, of, lines, *result.found);
    return false;
  }
  tell_totals(all, processor_seconds() - begun);
  fmt::print("\n{}", all.covered.table());
  if (!options.needs_coverage)
    return true;
  const auto empty = all.covered.empty();
  for (const auto& cell : empty)
    fmt::print("FAILED never met: {}\n", cell);
  return empty.empty();
}

} // namespace weir::sim
