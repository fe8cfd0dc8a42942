#include "tests/conformance/stores.hpp"

using namespace weir;
using namespace weir::test;

namespace {

waiting_row waiting(uint64_t arrival, uint64_t subject = 0) {
  return {arrival, subject, noon + milliseconds{static_cast<int64_t>(arrival)},
          "de.a\nb \"quoted\"\\",
          R"({"n":-0,"s":"\ud800'é"})" + std::to_string(arrival)};
}

template <class Where>
std::vector<waiting_row> all_of(world<Where>& on, queue_no queue) {
  std::vector<waiting_row> rows;
  on.batch([&] { rows = must(on.db->waiting().oldest(queue, 100)); });
  return rows;
}

using rows = std::vector<waiting_row>;
using numbers = std::vector<uint64_t>;

constexpr uint64_t large_subject = ~uint64_t{0} - 1;

} // namespace

TEST_CASE_TEMPLATE("waiting: rows come back as they went in, oldest first",
                   Where, WEIR_EVERY_STORE) {
  world<Where> on;
  const auto a = on.adopted("a").no;
  const auto b = on.adopted("b").no;
  on.batch([&] {
    must(on.db->waiting().add(a, rows{waiting(2, large_subject), waiting(3)}));
    must(on.db->waiting().add(b, rows{waiting(1)}));
    must(on.db->waiting().add(a, rows{waiting(9, 5)}));
    must(on.db->waiting().add(a, rows{}));
  });
  CHECK(all_of(on, a)
        == rows{waiting(2, large_subject), waiting(3), waiting(9, 5)});
  CHECK(all_of(on, b) == rows{waiting(1)});
  on.batch([&] {
    CHECK(must(on.db->waiting().oldest(a, 1))
          == rows{waiting(2, large_subject)});
    CHECK(must(on.db->waiting().oldest(a, 0)).empty());
  });
}

TEST_CASE_TEMPLATE("waiting: rows are found by subject within their queue",
                   Where, WEIR_EVERY_STORE) {
  world<Where> on;
  const auto a = on.adopted("a").no;
  const auto b = on.adopted("b").no;
  on.batch([&] {
    must(on.db->waiting().add(a,
                              rows{waiting(1, 7), waiting(2, large_subject),
                                   waiting(3, 8), waiting(4, 7)}));
    must(on.db->waiting().add(b, rows{waiting(5, 7)}));
  });
  on.batch([&] {
    const auto about = [&](queue_no queue, const numbers& subjects) {
      return must(on.db->waiting().about(queue, subjects));
    };
    CHECK(about(a, {7}) == rows{waiting(1, 7), waiting(4, 7)});
    CHECK(about(a, {large_subject, 7, 7, 9})
          == rows{waiting(1, 7), waiting(2, large_subject), waiting(4, 7)});
    CHECK(about(b, {7, 8}) == rows{waiting(5, 7)});
    CHECK(about(a, {}).empty());
  });
}

TEST_CASE_TEMPLATE("waiting: rows are removed by arrival within their queue",
                   Where, WEIR_EVERY_STORE) {
  world<Where> on;
  const auto a = on.adopted("a").no;
  const auto b = on.adopted("b").no;
  on.batch([&] {
    must(on.db->waiting().add(a, rows{waiting(1), waiting(2), waiting(3)}));
    must(on.db->waiting().add(b, rows{waiting(2)}));
  });
  on.batch([&] {
    CHECK(must(on.db->waiting().remove(a, numbers{1, 2, 99})) == 2);
    CHECK(must(on.db->waiting().remove(a, numbers{})) == 0);
  });
  CHECK(all_of(on, a) == rows{waiting(3)});
  CHECK(all_of(on, b) == rows{waiting(2)});
}

TEST_CASE_TEMPLATE("waiting: an arrival in use and odd text are refused", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto a = on.adopted("a").no;
  on.batch([&] { must(on.db->waiting().add(a, rows{waiting(1)})); });
  auto odd = waiting(2);
  odd.bytes = std::string{"\0", 1};
  for (const auto& refused : {waiting(1), odd}) {
    must(on.db->begin(on.lease, 1));
    CHECK(code_of(on.db->waiting().add(a, rows{refused})) == ec::rejected);
    on.db->rollback();
  }
  CHECK(all_of(on, a) == rows{waiting(1)});
}

TEST_CASE_TEMPLATE("waiting: what was rolled back is as before", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto a = on.adopted("a").no;
  on.batch([&] { must(on.db->waiting().add(a, rows{waiting(1)})); });
  must(on.db->begin(on.lease, 1));
  must(on.db->waiting().remove(a, numbers{1}));
  must(on.db->waiting().add(a, rows{waiting(2)}));
  on.db->rollback();
  CHECK(all_of(on, a) == rows{waiting(1)});
}
