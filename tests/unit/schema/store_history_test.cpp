#include "schema/store_history.hpp"
#include "tests/support/token_samples.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;

namespace {

constexpr uint64_t before_run = 100;
constexpr uint64_t last_run = 101;
constexpr uint64_t other_run = 200;

/// Slot 1 ended its run before at 5 and is at 9; slot 2 is at 3.
store_history sample() {
  store_history store;
  store.slots[1] = {last_run, 9};
  store.slots[2] = {other_run, 3};
  store.ended_runs[{1, before_run}] = 5;
  return store;
}

token_standing refused(token_refusal why) {
  return {why, {}};
}

} // namespace

TEST_CASE("history: what a store has committed is covered") {
  const auto store = sample();
  CHECK(standing_of(store, {}).covered());
  CHECK(standing_of(store, store.now()).covered());
  CHECK(standing_of(store, vector_of({{1, last_run, 6}})).covered());
  CHECK(standing_of(store, vector_of({{1, before_run, 5}})).covered());
  CHECK(standing_of(store, vector_of({{1, before_run, 1}})).covered());
}

TEST_CASE("history: a position beyond the present run may still come") {
  CHECK(standing_of(sample(), vector_of({{1, last_run, 10}}))
        == token_standing{{}, slot_lag{1, 1}});
  CHECK(
    standing_of(sample(), vector_of({{1, last_run, 10}, {2, other_run, 20}}))
    == token_standing{{}, slot_lag{2, 17}});
}

TEST_CASE("history: a slot or a run that is not known is refused") {
  const auto store = sample();
  CHECK(standing_of(store, vector_of({{3, last_run, 1}}))
        == refused(token_refusal::unknown_slot));
  CHECK(standing_of(store, vector_of({{1, 999, 1}}))
        == refused(token_refusal::unknown_run));
  // The run of another slot is not this one's.
  CHECK(standing_of(store, vector_of({{2, last_run, 1}}))
        == refused(token_refusal::unknown_run));
}

TEST_CASE("history: a position past the end of its run is refused") {
  CHECK(standing_of(sample(), vector_of({{1, before_run, 6}}))
        == refused(token_refusal::beyond_run));
}

TEST_CASE("history: a refusal is told before any wait") {
  const auto seen = vector_of({{1, last_run, 10}, {2, 999, 1}});
  CHECK(standing_of(sample(), seen) == refused(token_refusal::unknown_run));
}

TEST_CASE("history: a position before its run began is in the store's past") {
  auto store = sample();
  store.ended_runs[{1, 102}] = 5;
  CHECK(standing_of(store, vector_of({{1, 102, 5}})).covered());
  CHECK(standing_of(store, vector_of({{1, 102, 4}})).covered());
  CHECK(standing_of(store, vector_of({{1, last_run, 2}})).covered());
  CHECK(standing_of(store, vector_of({{1, 102, 6}}))
        == refused(token_refusal::beyond_run));
}

TEST_CASE("history: rows are forgotten behind a token, not at it") {
  auto store = sample();
  CHECK(!has_forgotten(store, {}));
  store.forgotten[1] = 4;
  CHECK(!has_forgotten(store, vector_of({{1, before_run, 4}})));
  CHECK(has_forgotten(store, vector_of({{1, before_run, 3}})));
  // T7: a slot that is not in it is at 0.
  CHECK(has_forgotten(store, vector_of({{2, other_run, 3}})));
}
