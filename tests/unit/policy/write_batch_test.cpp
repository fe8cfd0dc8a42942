#include "actors/policy/write_batch.hpp"
#include "schema/limits.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace weir;
using namespace weir::policy;
using namespace std::chrono_literals;

namespace {

using tickets = std::vector<uint64_t>;

constexpr auto rows_max = limits::batch_rows_max;
constexpr auto bytes_max = limits::batch_bytes_max;
/// Two such do not go into one batch.
constexpr auto most_rows = rows_max * 3 / 4;
constexpr auto acknowledge = write_priority::acknowledge;
constexpr auto accept = write_priority::accept;
constexpr auto other = write_priority::other;

constexpr instant at(milliseconds since_start) {
  return instant{1h + since_start};
}

waiting_write operation(uint64_t ticket, const std::string& key,
                        write_priority priority = accept, size_t rows = 1,
                        size_t bytes = 1) {
  return {ticket, key, rows, bytes, priority, at(10s)};
}

} // namespace

TEST_CASE("write_batch: nothing waiting is an empty batch") {
  write_queue queue;
  CHECK(queue.take_batch().empty());
  CHECK(queue.size() == 0);
  CHECK(!queue.full_batch_waiting());
}

TEST_CASE("write_batch: a batch runs in order of key") {
  write_queue queue;
  queue.push(operation(1, "c"));
  queue.push(operation(2, "a", other));
  queue.push(operation(3, "b", acknowledge));
  CHECK(queue.take_batch() == tickets{2, 3, 1});
  CHECK(queue.size() == 0);
}

TEST_CASE("write_batch: one operation of a key goes in a batch, in order") {
  write_queue queue;
  queue.push(operation(1, "a", other));
  queue.push(operation(2, "a", accept));
  queue.push(operation(3, "a", acknowledge));
  queue.push(operation(4, "b"));
  CHECK(queue.take_batch() == tickets{1, 4});
  CHECK(queue.take_batch() == tickets{2});
  CHECK(queue.size() == 1);
  CHECK(queue.take_batch() == tickets{3});
}

TEST_CASE(
  "write_batch: a second of a key does not close the batch for others") {
  write_queue queue;
  queue.push(operation(1, "a"));
  queue.push(operation(2, "a"));
  queue.push(operation(3, "b"));
  CHECK(queue.take_batch() == tickets{1, 3});
  CHECK(queue.take_batch() == tickets{2});
}

TEST_CASE("write_batch: acknowledgements go before what came earlier") {
  write_queue queue;
  queue.push(operation(1, "a", accept, most_rows));
  queue.push(operation(2, "b", other, rows_max / 5));
  queue.push(operation(3, "c", acknowledge, 100));
  queue.push(operation(4, "d", acknowledge, rows_max / 3));
  CHECK(queue.take_batch() == tickets{3, 4});
  CHECK(queue.take_batch() == tickets{1, 2});
}

TEST_CASE("write_batch: rows may fill the cap and no more") {
  write_queue queue;
  queue.push(operation(1, "a", accept, rows_max - 1));
  queue.push(operation(2, "b", accept, 1));
  queue.push(operation(3, "c", accept, 1));
  CHECK(queue.take_batch() == tickets{1, 2});
  CHECK(queue.take_batch() == tickets{3});
}

TEST_CASE("write_batch: bytes may fill the cap and no more") {
  write_queue queue;
  queue.push(operation(1, "a", accept, 1, bytes_max - 1));
  queue.push(operation(2, "b", accept, 1, 1));
  queue.push(operation(3, "c", accept, 1, 1));
  CHECK(queue.take_batch() == tickets{1, 2});
  CHECK(queue.take_batch() == tickets{3});
}

TEST_CASE("write_batch: an operation that writes no row still takes a place") {
  write_queue queue;
  for (uint64_t i = 0; i < rows_max + 1; ++i)
    queue.push(operation(i, "key" + std::to_string(i), other, 0, 0));
  CHECK(queue.take_batch().size() == rows_max);
  CHECK(queue.take_batch().size() == 1);
}

TEST_CASE("write_batch: one larger than the cap goes alone") {
  for (const auto& large : {operation(2, "b", accept, rows_max + 1, 1),
                            operation(2, "b", accept, 1, bytes_max + 1)}) {
    write_queue queue;
    queue.push(operation(1, "a"));
    queue.push(large);
    queue.push(operation(3, "c"));
    CHECK(queue.take_batch() == tickets{1});
    CHECK(queue.take_batch() == tickets{2});
    CHECK(queue.take_batch() == tickets{3});
  }
}

TEST_CASE("write_batch: a large one is not overtaken by small ones behind it") {
  write_queue queue;
  queue.push(operation(1, "a", accept, most_rows));
  queue.push(operation(2, "b", accept, most_rows));
  queue.push(operation(3, "c", accept, 1));
  CHECK(queue.take_batch() == tickets{1});
  CHECK(queue.take_batch() == tickets{2, 3});
}

TEST_CASE("write_batch: acknowledgements without end cannot starve others") {
  for (const size_t rows : {size_t{1}, rows_max, 3 * rows_max}) {
    write_queue queue;
    queue.push(operation(0, "quiet", other, rows));
    uint64_t next = 1;
    int batches = 0;
    for (bool is_done = false; !is_done; ++batches) {
      REQUIRE(batches < 2);
      for (size_t i = 0; i < 2 * rows_max; ++i, ++next)
        queue.push(operation(next, "key" + std::to_string(next), acknowledge));
      const auto batch = queue.take_batch();
      is_done = std::find(batch.begin(), batch.end(), 0u) != batch.end();
    }
    CHECK(batches == 2);
  }
}

TEST_CASE("write_batch: large others cannot starve acknowledgements") {
  write_queue queue;
  for (uint64_t i = 0; i < 4; ++i)
    queue.push(
      operation(i, "large" + std::to_string(i), accept, 1, bytes_max + 1));
  queue.push(operation(10, "a", acknowledge));
  CHECK(queue.take_batch() == tickets{10});
  CHECK(queue.take_batch() == tickets{0});
  queue.push(operation(11, "a", acknowledge));
  CHECK(queue.take_batch() == tickets{11});
  CHECK(queue.take_batch() == tickets{1});
  CHECK(queue.take_batch() == tickets{2});
}

TEST_CASE("write_batch: an expired operation is handed back unstarted") {
  write_queue queue;
  for (uint64_t i = 1; i <= 4; ++i)
    queue.push({i, i % 2 == 0 ? "even" : "odd", 1, 1, accept, at(i * 1'000ms)});
  CHECK(queue.take_expired(at(999ms)).empty());
  CHECK(queue.take_expired(at(2s)) == tickets{1, 2});
  CHECK(queue.size() == 2);
  CHECK(queue.take_batch() == tickets{4, 3});
  CHECK(queue.take_expired(at(10s)).empty());
}

TEST_CASE("write_batch: one that expires inside its line leaves the others") {
  write_queue queue;
  queue.push({1, "a", 1, 1, accept, at(10s)});
  queue.push({2, "a", 1, 1, accept, at(1s)});
  queue.push({3, "a", 1, 1, accept, at(10s)});
  CHECK(queue.take_expired(at(1s)) == tickets{2});
  CHECK(queue.take_batch() == tickets{1});
  CHECK(queue.take_batch() == tickets{3});
}

TEST_CASE("write_batch: full means that the caps would be reached") {
  write_queue rows;
  rows.push(operation(1, "a", accept, rows_max - 1));
  CHECK(!rows.full_batch_waiting());
  rows.push(operation(2, "a", accept, rows_max));
  CHECK(!rows.full_batch_waiting()); // Not in the same batch.
  rows.push(operation(3, "b", acknowledge, 1));
  CHECK(rows.full_batch_waiting());
  CHECK(rows.take_batch() == tickets{1, 3});
  CHECK(rows.full_batch_waiting());
  CHECK(rows.take_batch() == tickets{2});
  CHECK(!rows.full_batch_waiting());

  write_queue bytes;
  bytes.push(operation(1, "a", accept, 1, bytes_max - 1));
  CHECK(!bytes.full_batch_waiting());
  bytes.push(operation(2, "b", accept, 1, 1));
  CHECK(bytes.full_batch_waiting());
  CHECK(bytes.take_expired(at(10s)).size() == 2);
  CHECK(!bytes.full_batch_waiting());
}

namespace {

/// Checks one batch against everything that was promised, told without the
/// queue's own bookkeeping.
void check_batch(const tickets& batch,
                 const std::map<uint64_t, waiting_write>& waiting) {
  REQUIRE(batch.empty() == waiting.empty());
  size_t rows = 0, bytes = 0;
  std::set<std::string> keys;
  for (const auto ticket : batch) {
    const auto& each = waiting.at(ticket);
    rows += each.rows;
    bytes += each.bytes;
    REQUIRE(keys.insert(each.key).second);
    REQUIRE(*keys.rbegin() == each.key);       // In order of key.
    for (const auto& [earlier, one] : waiting) // The first of its key.
      REQUIRE((earlier >= ticket || one.key != each.key));
  }
  if (batch.size() > 1) {
    REQUIRE(rows <= rows_max);
    REQUIRE(bytes <= bytes_max);
  }
}

} // namespace

TEST_CASE("write_batch: any run keeps caps and order and loses nothing") {
  std::mt19937_64 random{200};
  for (int round = 0; round < 60; ++round) {
    write_queue queue;
    std::map<uint64_t, waiting_write> waiting; // Tickets are arrivals.
    std::map<uint64_t, int> batches_seen;
    uint64_t next = 0;
    for (int step = 0; step < 120; ++step) {
      for (auto left = step < 60 ? random() % 12 : 0; left > 0; --left) {
        waiting_write each{
          next,
          "key" + std::to_string(random() % 20),
          1 + random() % (random() % 10 == 0 ? 2 * rows_max : rows_max / 5),
          1 + random() % (random() % 10 == 0 ? 2 * bytes_max : bytes_max / 30),
          static_cast<write_priority>(random() % 3),
          at(step * 100ms + milliseconds{random() % 20'000})};
        queue.push(each);
        waiting.emplace(next++, each);
      }
      for (const auto ticket : queue.take_expired(at(step * 100ms))) {
        REQUIRE(waiting.at(ticket).deadline <= at(step * 100ms));
        waiting.erase(ticket);
      }
      const auto batch = queue.take_batch();
      check_batch(batch, waiting);
      for (const auto ticket : batch)
        waiting.erase(ticket);
      REQUIRE(queue.size() == waiting.size());
      for (const auto& [ticket, each] : waiting)
        REQUIRE(each.deadline > at(step * 100ms));
      if (!waiting.empty()) // Enough batches for a line of one key.
        REQUIRE(++batches_seen[waiting.begin()->first] <= 2);
    }
  }
}
