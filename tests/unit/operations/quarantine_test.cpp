#include "actors/operations/quarantine.hpp"
#include "tests/unit/operations/fixture.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// Quarantined bodies of appservice `of`; their ids.
template <class Where>
std::vector<int64_t> keep(house<Where>& on,
                          const std::vector<std::string>& bodies,
                          const std::string& of = "a") {
  for (const auto& body : bodies) {
    quarantine_body request;
    request.appservice = {of};
    request.body = shared_bytes{body};
    REQUIRE(must(on.ask(operations::quarantine, request)).kept);
  }
  std::vector<int64_t> ids;
  for (const auto& row : must(on.where.connect_reader()->quarantined(
         appservice_id{of}, {0, 10'000})))
    ids.push_back(row.id);
  return ids;
}

template <class Where>
kept_changed drop(house<Where>& on, kept_selection which = {}) {
  return must(on.ask(operations::drop_bodies,
                     drop_quarantined{{"a"}, std::move(which), "admin", {}}));
}

template <class Where>
uint64_t held(house<Where>& on) {
  return must(on.ask(
    [](store& db, batch_context&, int) { return db.keep().quarantine_bytes(); },
    0));
}

template <class Where>
std::vector<command_row> told(house<Where>& on) {
  return must(on.where.connect_reader()->commands(INT64_MAX, 100));
}

} // namespace

TEST_CASE_TEMPLATE("quarantine: dropped bodies go for good and make room",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto ids = keep(on, {"1", "22", "333"});
  const auto other = keep(on, {"4444"}, "b");
  const auto some = drop(on, {{ids[0], other[0], 1'000'000, ids[2]}, 0, 0});
  CHECK(some.done == 2);
  CHECK(some.missing == 2);
  CHECK(!some.more);
  CHECK(held(on) == 2 + 4);
  REQUIRE(told(on).size() == 1);
  CHECK(told(on)[0].verb == "drop quarantined");
  CHECK(told(on)[0].target == "appservice/a");
  const auto rest = drop(on);
  CHECK(rest.done == 1);
  CHECK(!rest.more);
  CHECK(held(on) == 4);
  CHECK(drop(on).done == 0);
  CHECK(told(on).size() == 2);
}

TEST_CASE_TEMPLATE("quarantine: one commit drops so many bodies", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  std::vector<std::string> bodies;
  for (size_t each = 0; each < limits::kept_changed_max + 2; ++each)
    bodies.push_back(std::to_string(each));
  const auto ids = keep(on, bodies);
  const auto first = drop(on);
  CHECK(first.done == limits::kept_changed_max);
  CHECK(first.more);
  CHECK(first.after == ids[limits::kept_changed_max - 1]);
  CHECK(first.until == ids.back());
  keep(on, {"late"});
  const auto second = drop(on, {{}, first.after, first.until});
  CHECK(second.done == 2);
  CHECK(!second.more);
  CHECK(held(on) == 4);
}

TEST_CASE_TEMPLATE("quarantine: one commit drops so many bytes", Where,
                   WEIR_EVERY_STORE) {
  house<Where> on;
  const auto half = limits::kept_changed_bytes_max / 2 + 1;
  const auto ids = keep(
    on,
    {std::string(half, 'a'), std::string(half, 'b'), std::string(half, 'c')});
  kept_selection which;
  SUBCASE("of all") {
  }
  SUBCASE("of those that are named") {
    which.ids = ids;
  }
  const auto first = drop(on, which);
  CHECK(first.done == 2);
  CHECK(first.more);
  which.after = first.after;
  which.until = first.until;
  const auto second = drop(on, which);
  CHECK(second.done == 1);
  CHECK(!second.more);
  CHECK(held(on) == 0);
}

TEST_CASE_TEMPLATE("quarantine: a body that was dropped is kept anew when it "
                   "comes again",
                   Where, WEIR_EVERY_STORE) {
  house<Where> on;
  const auto before = keep(on, {"x"});
  drop(on);
  const auto after = keep(on, {"x"});
  REQUIRE(after.size() == 1);
  CHECK(after[0] > before[0]);
}
