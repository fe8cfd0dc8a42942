#include "actors/policy/replay.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::policy;

namespace {

using ids = std::vector<int64_t>;
using sizes = std::vector<uint64_t>;

queue_bounds bounded(uint64_t elements, uint64_t bytes) {
  return {elements, bytes, milliseconds{0}, overflow_policy::hold};
}

} // namespace

TEST_CASE("replay: named letters are taken once each and in rising order") {
  CHECK(next_letters(ids{7, 3, 7, 5}, 0, 10) == ids{3, 5, 7});
  CHECK(next_letters(ids{7, 3, 7, 5}, 0, 2) == ids{3, 5});
  CHECK(next_letters(ids{7, 3, 7, 5}, 5, 2) == ids{7});
  CHECK(next_letters(ids{7, 3}, 7, 2).empty());
  CHECK(next_letters(ids{}, 0, 2).empty());
}

TEST_CASE("replay: an outbox takes letters until it is full") {
  CHECK(letters_taken(sizes{1, 1, 1}, {0, 0}, bounded(100, 100)) == 3);
  CHECK(letters_taken(sizes{1, 1, 1}, {8, 0}, bounded(10, 100)) == 2);
  CHECK(letters_taken(sizes{1, 1, 1}, {10, 0}, bounded(10, 100)) == 0);
  // As at the door: it may end above its bytes by one.
  CHECK(letters_taken(sizes{60, 60, 60}, {0, 0}, bounded(10, 100)) == 2);
  CHECK(letters_taken(sizes{1'000, 1}, {0, 0}, bounded(10, 100)) == 1);
  CHECK(letters_taken(sizes{}, {0, 0}, bounded(10, 100)) == 0);
}

TEST_CASE("replay: nothing is given up to make room for a letter") {
  auto bounds = bounded(10, 100);
  bounds.overflow = overflow_policy::dead_letter_oldest;
  CHECK(letters_taken(sizes{1}, {10, 0}, bounds) == 0);
}
