#include "tests/bench/disk.hpp"

#include "tests/bench/events.hpp"
#include "tests/bench/statistics.hpp"
#include "tests/bench/wire.hpp"

#include <sqlite3.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace bench {

namespace {

constexpr int64_t span_ns = 1'000'000'000;
constexpr int rows_per_commit = 100;
constexpr size_t row_bytes = 1'000;
/// The page size of a database of Weir (persistence/sql/connect.cpp).
constexpr size_t weir_page_bytes = 8192;
constexpr size_t small_page_bytes = 4096;
constexpr int hot_samples = 300;
constexpr int paced_samples = 100;
/// As in the latency scenario: 50 events a second.
constexpr int64_t pace_ns = 20'000'000;

void sync_for_a_while(const std::string& path, disk_rates& to) {
  const descriptor file{
    ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600)};
  std::array<char, small_page_bytes> page{};
  const auto begun = now_ns();
  auto now = begun;
  uint64_t syncs = 0;
  off_t at = 0;
  for (; now - begun < span_ns; now = now_ns(), ++syncs) {
    if (::pwrite(file.get(), page.data(), page.size(), at) < 0
        || ::fdatasync(file.get()) != 0)
      give_up("the disk takes no file");
    at += static_cast<off_t>(page.size());
  }
  to.syncs_per_second
    = static_cast<double>(syncs) * 1e9 / static_cast<double>(now - begun);
  ::unlink(path.c_str());
}

void run(sqlite3* on, const char* text) {
  if (sqlite3_exec(on, text, nullptr, nullptr, nullptr) != SQLITE_OK)
    give_up(sqlite3_errmsg(on));
}

double insert_for_a_while(sqlite3* on) {
  sqlite3_stmt* insert = nullptr;
  sqlite3_prepare_v2(on,
                     "INSERT INTO row (queue, state, due, payload) "
                     "VALUES (?1, 0, ?2, ?3)",
                     -1, &insert, nullptr);
  const std::string payload(row_bytes, 'x');
  const auto begun = now_ns();
  int64_t rows = 0;
  while (now_ns() - begun < span_ns) {
    run(on, "BEGIN IMMEDIATE");
    for (int row = 0; row < rows_per_commit; ++row, ++rows) {
      sqlite3_bind_int64(insert, 1, rows % 10);
      sqlite3_bind_int64(insert, 2, rows);
      sqlite3_bind_text(insert, 3, payload.data(),
                        static_cast<int>(payload.size()), SQLITE_STATIC);
      if (sqlite3_step(insert) != SQLITE_DONE)
        give_up(sqlite3_errmsg(on));
      sqlite3_reset(insert);
    }
    run(on, "COMMIT");
  }
  const auto took = now_ns() - begun;
  sqlite3_finalize(insert);
  return static_cast<double>(rows) * 1e9 / static_cast<double>(took);
}

void remove_database(const std::string& path) {
  for (const char* end : {"", "-wal", "-shm"})
    ::unlink((path + end).c_str());
}

} // namespace

disk_rates measure_disk(const std::string& folder) {
  disk_rates rates;
  sync_for_a_while(folder + "/syncs", rates);
  const auto path = folder + "/rows.db";
  remove_database(path);
  sqlite3* on = nullptr;
  if (sqlite3_open(path.c_str(), &on) != SQLITE_OK)
    give_up("no database in " + folder);
  run(on,
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
      "CREATE TABLE row (id INTEGER PRIMARY KEY, queue INTEGER, "
      "state INTEGER, due INTEGER, payload TEXT);"
      "CREATE INDEX row_due ON row (queue, state, due);");
  rates.rows_per_second = insert_for_a_while(on);
  sqlite3_close(on);
  remove_database(path);
  return rates;
}

namespace {

/// Medians of `once`, which says how long it took in milliseconds.
template <class Once>
timing measure(Once once) {
  std::vector<double> hot;
  for (int each = 0; each < hot_samples; ++each)
    hot.push_back(once());
  std::vector<double> paced;
  const auto begun = now_ns();
  for (int each = 0; each < paced_samples; ++each) {
    wait_until(begun + each * pace_ns);
    paced.push_back(once());
  }
  return {median(std::move(hot)), median(std::move(paced))};
}

timing measure_sync(const std::string& path, size_t bytes) {
  const descriptor file{
    ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600)};
  const std::vector<char> page(bytes, 'x');
  off_t at = 0;
  const auto made = measure([&] {
    const auto begun = now_ns();
    if (::pwrite(file.get(), page.data(), page.size(), at) < 0
        || ::fdatasync(file.get()) != 0)
      give_up("the disk takes no file");
    at += static_cast<off_t>(page.size());
    return static_cast<double>(now_ns() - begun) / 1e6;
  });
  ::unlink(path.c_str());
  return made;
}

timing measure_round_trip(unsigned short port) {
  wire on{connect_to(port)};
  numbered_transaction one{1, row_bytes};
  return measure([&] {
    const auto body = one.number_from(0);
    const auto begun = now_ns();
    if (!on.send(put_head("/round-trip", "none", body.size()), body)
        || !on.wait())
      give_up("no round trip");
    return static_cast<double>(now_ns() - begun) / 1e6;
  });
}

} // namespace

floors measure_floors(const std::string& folder, unsigned short port) {
  return {measure_sync(folder + "/syncs", weir_page_bytes),
          measure_sync(folder + "/syncs", small_page_bytes),
          measure_round_trip(port)};
}

} // namespace bench
