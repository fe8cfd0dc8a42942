#include "schema/limits.hpp"
#include "tests/conformance/stores.hpp"

#include <algorithm>

using namespace weir;
using namespace weir::test;

namespace {

using hashes = std::vector<uint64_t>;

constexpr size_t no_bound = 1'000'000;

inbound_row inbound(std::string id, uint32_t generation, stored_time at) {
  return {std::move(id), generation, {generation, ~uint64_t{0}}, {7}, at};
}

template <class Where>
std::vector<uint32_t> generations(world<Where>& on, queue_no queue,
                                  std::string_view id) {
  std::vector<uint32_t> found;
  for (const auto& row : must(on.db->inbox().find_inbound(queue, id)))
    found.push_back(row.generation);
  return found;
}

} // namespace

TEST_CASE_TEMPLATE("inbox: every generation of an id is remembered", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = on.adopted("a").no;
  const auto other = on.adopted("b").no;
  const std::string id("\xFF\0odd", 5);
  on.batch([&] {
    auto& inbox = on.db->inbox();
    CHECK(must(inbox.find_inbound(queue, id)).empty());
    must(inbox.remember_inbound(queue, inbound(id, 1, noon)));
    must(inbox.remember_inbound(queue, inbound(id, 0, noon)));
    must(inbox.remember_inbound(queue, inbound("other", 0, noon)));
    must(inbox.remember_inbound(other, inbound(id, 5, noon)));
    const std::vector expected_rows{inbound(id, 0, noon), inbound(id, 1, noon)};
    CHECK(must(inbox.find_inbound(queue, id)) == expected_rows);
  });
}

TEST_CASE_TEMPLATE("inbox: of an id used again and again the newest are read",
                   Where, WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = on.adopted("a").no;
  constexpr uint32_t kept = limits::inbound_generations_max;
  on.batch([&] {
    for (uint32_t number = 0; number < kept + 3; ++number)
      must(on.db->inbox().remember_inbound(queue, inbound("t", number, noon)));
    const auto found = generations(on, queue, "t");
    CHECK(found.size() == kept);
    CHECK(found.front() == 3);
    CHECK(found.back() == kept + 2);
    CHECK(std::is_sorted(found.begin(), found.end()));
  });
}

TEST_CASE_TEMPLATE("inbox: a generation is replaced by the one of its number",
                   Where, WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = on.adopted("a").no;
  on.batch([&] {
    auto& inbox = on.db->inbox();
    must(inbox.remember_inbound(queue, inbound("t", 0, noon)));
    inbound_row longer{"t", 0, {1, 2, 3}, {}, noon + milliseconds{5}};
    must(inbox.remember_inbound(queue, longer));
    CHECK(must(inbox.find_inbound(queue, "t")) == std::vector{longer});
    longer.event_hashes.clear();
    longer.non_event_hashes = {~uint64_t{0}, 0, 1};
    must(inbox.remember_inbound(queue, longer));
    CHECK(must(inbox.find_inbound(queue, "t")) == std::vector{longer});
  });
}

TEST_CASE_TEMPLATE("inbox: seen events are found among those asked for", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = on.adopted("a").no;
  const auto other = on.adopted("b").no;
  on.batch([&] {
    auto& inbox = on.db->inbox();
    must(inbox.remember_seen(queue, hashes{1, ~uint64_t{0}, 1, 0}, noon));
    must(inbox.remember_seen(other, hashes{9}, noon));
    must(inbox.remember_seen(queue, hashes{}, noon));
    must(inbox.remember_seen(queue, hashes{2, 1}, noon));
    CHECK(must(inbox.find_seen(queue, hashes{9, 2, ~uint64_t{0}, 5, 0}))
          == hashes{2, ~uint64_t{0}, 0});
    CHECK(must(inbox.find_seen(queue, hashes{})).empty());
    CHECK(must(inbox.find_seen(queue, hashes{5, 9})).empty());
  });
}

TEST_CASE_TEMPLATE("inbox: what is older than the window is forgotten", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = on.adopted("a").no;
  const auto other = on.adopted("b").no;
  on.batch([&] {
    auto& inbox = on.db->inbox();
    for (uint32_t day = 0; day < 4; ++day) {
      const auto at = noon + std::chrono::hours{24} * day;
      must(inbox.remember_inbound(queue, inbound("t", day, at)));
      must(inbox.remember_seen(queue, hashes{day, 100 + day}, at));
    }
    must(inbox.remember_inbound(other, inbound("t", 0, noon)));
    must(inbox.remember_seen(other, hashes{0}, noon));
    const auto second_day = noon + std::chrono::hours{24};
    CHECK(must(inbox.forget(queue, second_day, no_bound, no_bound, no_bound))
          == 3);
    CHECK(generations(on, queue, "t") == std::vector<uint32_t>{1, 2, 3});
    CHECK(must(inbox.find_seen(queue, hashes{0, 1, 100, 101}))
          == hashes{1, 101});
    CHECK(must(inbox.forget(queue, second_day, no_bound, no_bound, no_bound))
          == 0);
    CHECK(must(inbox.find_seen(other, hashes{0})) == hashes{0});
    CHECK(generations(on, other, "t") == std::vector<uint32_t>{0});
  });
}

TEST_CASE_TEMPLATE("inbox: the oldest above a window's size are forgotten",
                   Where, WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = on.adopted("a").no;
  on.batch([&] {
    auto& inbox = on.db->inbox();
    for (uint32_t number = 0; number < 6; ++number) {
      must(inbox.remember_inbound(queue, inbound("t", number, noon)));
      must(inbox.remember_seen(queue, hashes{50 - number}, noon));
      must(inbox.remember_seen(queue, hashes{50 - number}, noon));
    }
    // Replaced, and so the newest.
    must(inbox.remember_inbound(queue, inbound("t", 0, noon)));
    CHECK(must(inbox.forget(queue, noon, 3, 4, no_bound)) == 3 + 2);
    CHECK(generations(on, queue, "t") == std::vector<uint32_t>{0, 4, 5});
    CHECK(must(inbox.find_seen(queue, hashes{45, 46, 47, 48, 49, 50}))
          == hashes{45, 46, 47, 48});
    // Forgotten ones may come back, and are then the newest.
    must(inbox.remember_seen(queue, hashes{50}, noon));
    CHECK(must(inbox.forget(queue, noon, 3, 4, no_bound)) == 1);
    CHECK(must(inbox.find_seen(queue, hashes{48, 50})) == hashes{50});
  });
}

TEST_CASE_TEMPLATE("inbox: of events that came together some may be forgotten",
                   Where, WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = on.adopted("a").no;
  const hashes all{1, 2, 3, 4, 5, 6, 7};
  on.batch([&] {
    auto& inbox = on.db->inbox();
    must(inbox.remember_seen(queue, hashes{1, 2}, noon));
    must(inbox.remember_seen(queue, hashes{3, 4, 5, 6, 7}, noon));
    CHECK(must(inbox.forget(queue, noon, 0, 4, no_bound)) == 3);
    CHECK(must(inbox.find_seen(queue, all)) == hashes{4, 5, 6, 7});
    const auto later = noon + milliseconds{1};
    CHECK(must(inbox.forget(queue, later, 0, 4, 2)) == 2);
    CHECK(must(inbox.find_seen(queue, all)) == hashes{6, 7});
    must(inbox.remember_seen(queue, hashes{7, 1}, later));
    CHECK(must(inbox.forget(queue, later, 0, no_bound, no_bound)) == 2);
    CHECK(must(inbox.find_seen(queue, all)) == hashes{1});
    CHECK(must(inbox.forget(queue, later, 0, 0, no_bound)) == 1);
    must(inbox.remember_seen(queue, hashes{2}, later));
    CHECK(must(inbox.find_seen(queue, all)) == hashes{2});
  });
}

TEST_CASE_TEMPLATE("inbox: what another writer remembered is seen", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = on.adopted("a").no;
  on.batch([&] { must(on.db->inbox().remember_seen(queue, hashes{1}, noon)); });
  auto other = on.where.connect();
  auto lease = must(other->take_slot(1, "other", first_run + 1));
  must(other->begin(lease, 1));
  CHECK(must(other->inbox().find_seen(queue, hashes{1, 2})) == hashes{1});
  must(other->inbox().remember_seen(queue, hashes{2}, noon));
  must(other->commit());
  on.lease = must(on.db->take_slot(1, "node", first_run + 2));
  on.batch([&] {
    CHECK(must(on.db->inbox().find_seen(queue, hashes{1, 2})) == hashes{1, 2});
  });
}

TEST_CASE_TEMPLATE("inbox: one call forgets no more than it may", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = on.adopted("a").no;
  on.batch([&] {
    auto& inbox = on.db->inbox();
    for (uint32_t number = 0; number < 5; ++number) {
      must(inbox.remember_inbound(queue, inbound("t", number, noon)));
      must(inbox.remember_seen(queue, hashes{number}, noon));
    }
    CHECK(must(inbox.forget(queue, noon, 0, 0, 2)) == 4);
    CHECK(generations(on, queue, "t") == std::vector<uint32_t>{2, 3, 4});
    const auto later = noon + milliseconds{1};
    CHECK(must(inbox.forget(queue, later, no_bound, no_bound, 2)) == 4);
    CHECK(must(inbox.forget(queue, later, no_bound, no_bound, 0)) == 0);
    CHECK(must(inbox.forget(queue, later, no_bound, no_bound, 2)) == 2);
    CHECK(must(inbox.find_seen(queue, hashes{0, 1, 2, 3, 4})).empty());
  });
}

TEST_CASE_TEMPLATE("inbox: nothing survives a rollback", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const auto queue = on.adopted("a").no;
  on.batch([&] {
    must(on.db->inbox().remember_inbound(queue, inbound("t", 0, noon)));
    must(on.db->inbox().remember_seen(queue, hashes{1}, noon));
  });
  must(on.db->begin(on.lease, 1));
  must(on.db->inbox().remember_inbound(queue, inbound("t", 1, noon)));
  must(on.db->inbox().remember_seen(queue, hashes{2}, noon));
  must(on.db->inbox().forget(queue, noon, 0, 0, no_bound));
  on.db->rollback();
  on.batch([&] {
    CHECK(generations(on, queue, "t") == std::vector<uint32_t>{0});
    CHECK(must(on.db->inbox().find_seen(queue, hashes{1, 2})) == hashes{1});
    // As many as were rolled back, and another: no trace is left of those.
    must(on.db->inbox().remember_seen(queue, hashes{3}, noon));
    CHECK(must(on.db->inbox().find_seen(queue, hashes{1, 2, 3}))
          == hashes{1, 3});
  });
}
