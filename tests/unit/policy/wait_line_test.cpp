#include "actors/policy/wait_line.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::policy;
using namespace std::chrono_literals;

namespace {

using tickets = std::vector<uint64_t>;

constexpr instant at(milliseconds since) {
  return instant{1h + since};
}

} // namespace

TEST_CASE("wait line: who waits looks again when something was committed") {
  wait_line line{9};
  CHECK(line.join(1, 5, at(1s)));
  CHECK(line.join(2, 6, at(1s)));
  CHECK(line.take(5, at(0s), 9) == tickets{2});
  CHECK(line.take(5, at(0s), 9).empty());
  CHECK(line.take(7, at(0s), 9) == tickets{1});
  CHECK(line.size() == 0);
}

TEST_CASE("wait line: at the end of its time one looks a last time") {
  wait_line line{9};
  CHECK(line.join(1, 5, at(1s)));
  CHECK(line.take(5, at(999ms), 9).empty());
  CHECK(line.take(5, at(1s), 0) == tickets{1});
}

TEST_CASE("wait line: looks are bounded, and who looked longest ago is first") {
  wait_line line{9};
  for (uint64_t ticket = 1; ticket <= 3; ++ticket)
    CHECK(line.join(ticket, 1, at(1min)));
  CHECK(line.take(2, at(0s), 2) == tickets{1, 2});
  CHECK(line.join(1, 2, at(1min)));
  CHECK(line.join(2, 2, at(1min)));
  CHECK(line.take(3, at(0s), 2) == tickets{3, 1});
}

TEST_CASE("wait line: it has a bound") {
  wait_line line{2};
  CHECK(line.join(1, 1, at(1s)));
  CHECK(line.join(2, 1, at(1s)));
  CHECK(!line.join(3, 1, at(1s)));
  CHECK(line.take_all() == tickets{1, 2});
  CHECK(line.join(3, 1, at(1s)));
}
