// Runs Weir and the reference in turn and prints what one is of the other.
// usage: weir_bench WEIR REFERENCE MIGRATIONS FOLDER [--pairs N] [--only NAME]
//   [--against reference|trace]  trace: Weir beside Weir that writes a trace
// Exit status: 0 when all targets are reached, 1 when one is not or the bench
// broke, 2 when the machine was unlike the one of the targets (void).

#include "tests/bench/disk.hpp"
#include "tests/bench/scenario.hpp"
#include "tests/bench/statistics.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

namespace {

using namespace bench;

constexpr int pairs_default = 5;
/// Of the machine where the targets were set, the middles of what was measured
/// there: SQLite's rows a second at 100 a commit (22,000 to 25,000), fdatasyncs
/// a second (2,100 to 2,900). A machine on which they stand to each other in
/// another way measures something else.
constexpr double rows_where_set = 23'500;
constexpr double syncs_where_set = 2'500;
constexpr double rows_per_sync = rows_where_set / syncs_where_set;
constexpr double rows_per_sync_tolerance = 0.25;
/// A delivered event waits for these: the accept, which pins, and what may be
/// under way before it.
constexpr double latency_syncs = 3;

struct target {
  scenario of;
  double ratio_min = 0; ///< Of the reference's speed; 0 for none.
};

std::vector<target> all_targets() {
  // Two to ten seconds each: long enough for some checkpoints of the log.
  return {
    {{"accept-1", measure::accepted, 1, {.transactions = 200}}},
    {{"accept-8", measure::accepted, 8, {.transactions = 50}}},
    {{"end-to-end-1", measure::delivered, 1, {.transactions = 200}}, 0.6},
    {{"end-to-end-8", measure::delivered, 8, {.transactions = 50}}, 0.8},
    {{"latency",
      measure::latency,
      1,
      {.transactions = 400, .events = 1, .per_second = 50}}},
  };
}

struct pair {
  figures weir;
  figures reference;
  disk_rates disk;
  floors least; ///< Of the latency scenario.
};

std::vector<double> column(const std::vector<pair>& of,
                           double (*value)(const pair&)) {
  std::vector<double> values;
  for (const auto& each : of)
    values.push_back(value(each));
  return values;
}

double load_average() {
  double load = 0;
  ::getloadavg(&load, 1);
  return load;
}

pair run_pair(const places& at, const scenario& of, contestant other,
              bool weir_first) {
  pair made;
  std::filesystem::create_directories(at.folder);
  made.disk = measure_disk(at.folder);
  if (of.what == measure::latency)
    made.least = measure_floors(at.folder, sink{0, true}.homeserver_port());
  if (weir_first)
    made.weir = measure_one(contestant::weir, at, of);
  made.reference = measure_one(other, at, of);
  if (!weir_first)
    made.weir = measure_one(contestant::weir, at, of);
  return made;
}

double ratio_of(const pair& each) {
  return each.weir.result / each.reference.result;
}

double allowed_ms(const pair& each) {
  return latency_syncs * each.least.sync_page.paced_ms
    + each.least.round_trip.paced_ms;
}

void print_pair(int number, const pair& made, const scenario& of) {
  const bool is_latency = of.what == measure::latency;
  std::printf(is_latency ? "%4d %10.3f %10.3f" : "%4d %10.0f %10.0f", number,
              made.weir.result, made.reference.result);
  std::printf(" %7.2f %9.2f %9.2f %8.1f %8.1f %7.0f %7.0f %7.1f %6.1f\n",
              ratio_of(made), made.weir.worst, made.reference.worst,
              made.weir.cpu_us, made.reference.cpu_us,
              made.disk.syncs_per_second, made.disk.rows_per_second,
              made.disk.rows_per_second / made.disk.syncs_per_second,
              load_average());
  if (made.weir.repeats + made.reference.repeats > 0)
    std::printf("     sent again: weir %llu, reference %llu transactions\n",
                static_cast<unsigned long long>(made.weir.repeats),
                static_cast<unsigned long long>(made.reference.repeats));
  std::fflush(stdout);
}

double median_of(const std::vector<pair>& made, double (*value)(const pair&)) {
  return median(column(made, value));
}

/// Judged by what the floors take at the scenario's own pace.
bool print_latency(const std::vector<pair>& made) {
  const auto print = [](const char* what, double hot, double paced) {
    std::printf("     %-28s %6.3f ms one after the other, %6.3f ms one each 20 "
                "ms\n",
                what, hot, paced);
  };
  print("a page of 8 KiB, fdatasync",
        median_of(made, [](auto& p) { return p.least.sync_page.hot_ms; }),
        median_of(made, [](auto& p) { return p.least.sync_page.paced_ms; }));
  print("4 KiB, fdatasync",
        median_of(made, [](auto& p) { return p.least.sync_4k.hot_ms; }),
        median_of(made, [](auto& p) { return p.least.sync_4k.paced_ms; }));
  print("an HTTP round trip",
        median_of(made, [](auto& p) { return p.least.round_trip.hot_ms; }),
        median_of(made, [](auto& p) { return p.least.round_trip.paced_ms; }));
  const auto p50 = median_of(made, [](auto& p) { return p.weir.result; });
  const auto allowed = median_of(made, allowed_ms);
  const bool reached = p50 <= allowed;
  std::printf("     p50 %.3f ms; %.0f fdatasyncs of a page and a round trip, "
              "one each 20 ms, allow %.3f ms: %s\n",
              p50, latency_syncs, allowed, reached ? "reached" : "MISSED");
  return reached;
}

bool print_verdict(const target& to, const std::vector<pair>& made) {
  const auto ratios = column(made, ratio_of);
  std::printf("     ratio %.2f (%.2f to %.2f); CPU %.1f and %.1f us an event, "
              "ratio %.2f\n",
              median(ratios), quantile(ratios, 0), quantile(ratios, 1),
              median(column(made, [](auto& p) { return p.weir.cpu_us; })),
              median(column(made, [](auto& p) { return p.reference.cpu_us; })),
              median(column(made, [](auto& p) {
                return p.weir.cpu_us / p.reference.cpu_us;
              })));
  bool reached = true;
  if (to.ratio_min > 0) {
    reached = median(ratios) >= to.ratio_min;
    std::printf("     at least %.2f of the reference: %s\n", to.ratio_min,
                reached ? "reached" : "MISSED");
  }
  if (to.of.what == measure::latency)
    reached = print_latency(made);
  return reached;
}

std::vector<pair> run_target(const places& at, const target& to,
                             contestant other, int pairs) {
  const bool is_latency = to.of.what == measure::latency;
  std::printf("\n%s: %zu appservice%s, %zu events of %zu B a transaction, %s\n",
              to.of.name.c_str(), to.of.appservices,
              to.of.appservices == 1 ? "" : "s", to.of.plan.events,
              to.of.plan.event_bytes,
              is_latency ? "one each 20 ms" : "one after the other");
  if (other == contestant::weir_traced)
    std::printf("\"reference\" is Weir that writes a trace of all actors\n");
  std::printf("pair %10s  reference   ratio  weir p99   ref p99 weir CPU  ref "
              "CPU syncs/s  rows/s rows/sy   load\n",
              is_latency ? "weir ms" : "weir ev/s");
  std::vector<pair> made;
  for (int each = 0; each < pairs; ++each) {
    made.push_back(run_pair(at, to.of, other, each % 2 == 0));
    print_pair(each + 1, made.back(), to.of);
  }
  return made;
}

/// What a commit of 100 rows takes besides its flush, in milliseconds.
double commit_without_flush_ms(double rows, double syncs) {
  return 1e3 * (100 / rows - 1 / syncs);
}

/// Says which of the two is another than where the targets were set.
void print_side(double rows, double syncs) {
  const auto disk = syncs / syncs_where_set;
  const auto here = commit_without_flush_ms(rows, syncs);
  const auto there = commit_without_flush_ms(rows_where_set, syncs_where_set);
  const auto word = [](double of) { return of < 1 ? "slower" : "faster"; };
  std::printf("     the disk is %s than where the targets were set: it flushes "
              "%.2f times as often a second\n",
              word(disk), disk);
  if (here <= 0)
    std::printf("     the CPU cannot be told from the disk: a commit of 100 "
                "rows took no longer than a flush\n");
  else
    std::printf(
      "     the CPU is %s: a commit of 100 rows takes %.2f ms besides "
      "its flush, %.2f ms there, %.2f times as fast\n",
      word(there / here), here, there, there / here);
}

/// Whether the disk and SQLite stand to each other as where targets were set,
/// and if not, which of them is another.
bool is_yardstick(const std::vector<pair>& made) {
  const auto rows
    = median_of(made, [](auto& p) { return p.disk.rows_per_second; });
  const auto syncs
    = median_of(made, [](auto& p) { return p.disk.syncs_per_second; });
  const auto ratio = median_of(made, [](auto& p) {
    return p.disk.rows_per_second / p.disk.syncs_per_second;
  });
  const bool valid = ratio >= rows_per_sync * (1 - rows_per_sync_tolerance)
    && ratio <= rows_per_sync * (1 + rows_per_sync_tolerance);
  std::printf("\nyardstick: %.0f rows/s over %.0f fdatasyncs/s are %.1f rows a "
              "sync, %.1f within %.0f %% are asked: %s\n",
              rows, syncs, ratio, rows_per_sync, rows_per_sync_tolerance * 100,
              valid ? "valid" : "VOID");
  print_side(rows, syncs);
  return valid;
}

const char* option(int count, char** arguments, const char* name) {
  for (int at = 5; at + 1 < count; ++at)
    if (std::strcmp(arguments[at], name) == 0)
      return arguments[at + 1];
  return nullptr;
}

} // namespace

int main(int count, char** arguments) {
  if (count < 5)
    give_up("usage: weir_bench WEIR REFERENCE MIGRATIONS FOLDER [--pairs N] "
            "[--only NAME] [--against reference|trace]");
  const places at{arguments[1], arguments[2], arguments[3], arguments[4]};
  const auto* wanted = option(count, arguments, "--pairs");
  const auto* only = option(count, arguments, "--only");
  const auto* against = option(count, arguments, "--against");
  const auto other = against != nullptr && std::strcmp(against, "trace") == 0
    ? contestant::weir_traced
    : contestant::reference;
  const int pairs = wanted == nullptr ? pairs_default : std::stoi(wanted);
  std::vector<pair> all;
  bool reached = true;
  for (const auto& each : all_targets()) {
    if (only != nullptr && each.of.name != only)
      continue;
    const auto made = run_target(at, each, other, pairs);
    reached = print_verdict(each, made) && reached;
    all.insert(all.end(), made.begin(), made.end());
  }
  if (all.empty())
    give_up("no pair to run; scenarios: accept-1 accept-8 end-to-end-1 "
            "end-to-end-8 latency");
  std::filesystem::remove_all(at.folder);
  if (!is_yardstick(all))
    return 2;
  return reached ? 0 : 1;
}
