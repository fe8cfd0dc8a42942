#include "persistence/sql/outbox.hpp"
#include "tests/conformance/stores.hpp"

#include <algorithm>

using namespace weir;
using namespace weir::test;

TEST_CASE("queue_columns: the lanes of a pin come back as they were") {
  const std::vector<lane_range> lanes{
    {lane::event, 1, 100},
    {lane::to_device, 7, 7},
    {lane::other, 3, (uint64_t{1} << 40) - 1}};
  const auto text = sql::lanes_text(lanes);
  CHECK(must(sql::parse_lanes(text)) == lanes);
  CHECK(must(sql::parse_lanes("")).empty());
}

TEST_CASE("queue_columns: lanes that nobody wrote are damage") {
  for (const std::string text :
       {"x", "0", "0:", "0:1", "0:1-", "0:1-2-3", "0:1-2,1:3-4", "99:1-2",
        "-1:1-2", "0:-1-2", "0:99999999999999999999-2"}) {
    CAPTURE(text);
    CHECK(code_of(sql::parse_lanes(text)) == ec::corrupt);
  }
}

TEST_CASE("queue_columns: each column has a type, and a prefix if wanted") {
  const auto plain = sql::queue_columns("");
  const auto columns = std::count(plain.begin(), plain.end(), ',') + 1;
  CHECK(static_cast<size_t>(columns) == sql::queue_column_types.size());
  CHECK(plain.starts_with("no, id, "));
  CHECK(sql::queue_columns("a.").starts_with("a.no, a.id, "));
}
