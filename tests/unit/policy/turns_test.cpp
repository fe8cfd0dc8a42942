#include "actors/policy/turns.hpp"

#include <doctest/doctest.h>

using namespace weir;
using policy::turns;

namespace {

using ids = std::vector<appservice_id>;

/// Takes every turn that is left.
ids taken(turns& from) {
  ids result;
  while (!from.over()) {
    result.push_back(from.current());
    from.begin();
    from.finish();
  }
  return result;
}

} // namespace

TEST_CASE("turns: each on the list gets one, in its order") {
  turns all;
  CHECK(all.over());
  all.use({{"a"}, {"b"}});
  CHECK(taken(all) == ids{{"a"}, {"b"}});
  all.use({{"a"}, {"b"}});
  CHECK(all.over());
}

TEST_CASE("turns: who comes gets one, and who comes back another") {
  turns all;
  all.use({{"a"}});
  taken(all);
  all.use({{"a"}, {"b"}});
  CHECK(taken(all) == ids{{"b"}});
  all.use({{"b"}});
  all.use({{"a"}, {"b"}});
  CHECK(taken(all) == ids{{"a"}});
}

TEST_CASE("turns: who leaves before its turn gets none") {
  turns all;
  all.use({{"a"}, {"b"}, {"c"}});
  all.use({{"a"}, {"c"}});
  CHECK(taken(all) == ids{{"a"}, {"c"}});
}

TEST_CASE("turns: a turn that has begun is finished, whatever the list says") {
  turns all;
  all.use({{"a"}, {"b"}});
  all.begin();
  all.use({{"b"}});
  CHECK(all.current() == appservice_id{"a"});
  CHECK(all.begun());
  all.finish();
  CHECK(taken(all) == ids{{"b"}});
}

TEST_CASE(
  "turns: one that leaves and comes back within its turn gets another") {
  turns all;
  all.use({{"a"}});
  all.begin();
  all.use({});
  all.use({{"a"}});
  all.finish();
  CHECK(taken(all) == ids{{"a"}});
}

TEST_CASE("turns: one that goes on later keeps its turn") {
  turns all;
  all.use({{"a"}, {"b"}});
  all.begin();
  all.again();
  CHECK_FALSE(all.begun());
  CHECK(taken(all) == ids{{"a"}, {"b"}});
}
