#include "tests/conformance/stores.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using rows = std::vector<ordering_row>;
using numbers = std::vector<uint64_t>;

constexpr uint64_t largest = INT64_MAX;

ordering_row row(uint64_t ordering, uint64_t seq) {
  return {ordering, seq, noon + milliseconds{static_cast<int64_t>(seq)}};
}

template <class Where>
numbers found(world<Where>& on, queue_no queue, const numbers& asked) {
  numbers known;
  on.batch([&] { known = must(on.db->orderings().find(queue, asked)); });
  return known;
}

} // namespace

TEST_CASE_TEMPLATE("orderings: what was added is found within its queue", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto a = on.adopted("a").no;
  const auto b = on.adopted("b").no;
  on.batch([&] {
    must(
      on.db->orderings().add(a, rows{row(5, 1), row(largest, 2), row(0, 3)}));
    must(on.db->orderings().add(a, rows{}));
    must(on.db->orderings().add(b, rows{row(6, 1)}));
  });
  CHECK(found(on, a, {largest, 6, 5, 0, 4}) == numbers{largest, 5, 0});
  CHECK(found(on, b, {5, 6}) == numbers{6});
  CHECK(found(on, a, {}).empty());
}

TEST_CASE_TEMPLATE("orderings: one that is there is refused", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto a = on.adopted("a").no;
  on.batch([&] { must(on.db->orderings().add(a, rows{row(5, 1)})); });
  must(on.db->begin(on.lease, 1));
  CHECK(code_of(on.db->orderings().add(a, rows{row(7, 2), row(5, 3)}))
        == ec::rejected);
  on.db->rollback();
  CHECK(found(on, a, {5, 7}) == numbers{5});
}

TEST_CASE_TEMPLATE("orderings: the highest is that of a stretch of seqs", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto a = on.adopted("a").no;
  const auto b = on.adopted("b").no;
  on.batch([&] {
    must(on.db->orderings().add(
      a, rows{row(50, 1), row(10, 2), row(20, 5), row(15, 6)}));
    must(on.db->orderings().add(b, rows{row(99, 3)}));
  });
  on.batch([&] {
    auto& port = on.db->orderings();
    CHECK(must(port.highest(a, 1, 6)) == 50);
    CHECK(must(port.highest(a, 2, 6)) == 20);
    CHECK(must(port.highest(a, 6, 9)) == 15);
    CHECK(!must(port.highest(a, 3, 4)));
    CHECK(!must(port.highest(a, 7, UINT64_MAX)));
  });
}

TEST_CASE_TEMPLATE("orderings: the old and the too many are forgotten, what is "
                   "owed is not",
                   Where, WEIR_EVERY_STORE) {
  world<Where> on;
  const auto a = on.adopted("a").no;
  const auto b = on.adopted("b").no;
  const auto forget = [&](milliseconds before, uint64_t too_many,
                          uint64_t acked, size_t rows_max) {
    uint64_t gone = 0;
    on.batch([&] {
      gone = must(
        on.db->orderings().forget(a, noon + before, too_many, acked, rows_max));
    });
    return gone;
  };
  on.batch([&] {
    // Their order is that of seqs, not of orderings.
    must(on.db->orderings().add(
      a, rows{row(90, 1), row(20, 2), row(80, 3), row(40, 4), row(70, 5)}));
    must(on.db->orderings().add(b, rows{row(90, 1)}));
  });
  CHECK(forget(milliseconds{0}, 0, 5, 10) == 0);
  CHECK(forget(milliseconds{3}, 0, 5, 1) == 1);
  CHECK(found(on, a, {90, 20, 80, 40, 70}) == numbers{20, 80, 40, 70});
  CHECK(forget(milliseconds{3}, 0, 5, 10) == 1);
  CHECK(forget(milliseconds{0}, 1, 5, 10) == 1);
  CHECK(found(on, a, {90, 20, 80, 40, 70}) == numbers{40, 70});
  CHECK(forget(milliseconds{9}, 9, 4, 10) == 1);
  CHECK(forget(milliseconds{9}, 9, 4, 10) == 0);
  CHECK(found(on, a, {40, 70}) == numbers{70});
  CHECK(found(on, b, {90}) == numbers{90});
}

TEST_CASE_TEMPLATE("orderings: what was rolled back is as before", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto a = on.adopted("a").no;
  on.batch([&] { must(on.db->orderings().add(a, rows{row(1, 1)})); });
  must(on.db->begin(on.lease, 1));
  must(on.db->orderings().add(a, rows{row(2, 2)}));
  must(on.db->orderings().forget(a, noon + milliseconds{9}, 1, 9, 1));
  on.db->rollback();
  CHECK(found(on, a, {1, 2}) == numbers{1});
}
