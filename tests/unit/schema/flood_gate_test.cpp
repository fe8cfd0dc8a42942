#include "schema/flood_gate.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace std::chrono_literals;

namespace {

const flood_gate::time_point start{1h};
const flood_gate::passage printed{};
const flood_gate::passage held{false};

} // namespace

TEST_CASE("flood gate: a line passes once in its quiet time") {
  flood_gate gate;
  CHECK(gate.pass("a", start) == printed);
  CHECK(gate.pass("a", start) == held);
  CHECK(gate.pass("a", start + flood_gate::quiet_time - 1ms) == held);
  CHECK(gate.pass("a", start + flood_gate::quiet_time).prints);
}

TEST_CASE("flood gate: a line tells how many were held back and since when") {
  flood_gate gate;
  CHECK(gate.pass("a", start) == printed);
  CHECK(gate.pass("a", start + 3s) == held);
  CHECK(gate.pass("a", start + 9s) == held);
  CHECK(gate.pass("a", start + 10s)
        == flood_gate::passage{true, 2, start + 3s});
}

TEST_CASE("flood gate: what was counted is told once") {
  flood_gate gate;
  CHECK(gate.pass("a", start) == printed);
  CHECK(gate.pass("a", start + 1s) == held);
  CHECK(gate.pass("a", start + 10s)
        == flood_gate::passage{true, 1, start + 1s});
  CHECK(gate.pass("a", start + 11s) == held);
  CHECK(gate.pass("a", start + 20s)
        == flood_gate::passage{true, 1, start + 11s});
  CHECK(gate.pass("a", start + 30s) == printed);
}

TEST_CASE("flood gate: other lines are not held back with it") {
  flood_gate gate;
  CHECK(gate.pass("a", start) == printed);
  CHECK(gate.pass("b", start) == printed);
  CHECK(gate.pass("b", start) == held);
}

TEST_CASE("flood gate: it forgets all at its bound") {
  flood_gate gate;
  for (size_t i = 0; i < flood_gate::remembered_lines_max; ++i)
    CHECK(gate.pass(std::to_string(i), start) == printed);
  CHECK(gate.pass("0", start) == printed);
  CHECK(gate.pass("0", start) == held);
}

TEST_CASE("flood gate: a repetition has the same phrase and first value") {
  const auto key
    = [](std::string_view line) { return repetition_key("queue", line); };
  CHECK(key("push refused dest=irc txn=1") == "queue:push refused dest=irc");
  CHECK(key("push refused dest=irc txn=2") == key("push refused dest=irc"));
  CHECK(key("push refused dest=irc") != key("push refused dest=xmpp"));
  CHECK(key("a phrase alone") == "queue:a phrase alone");
  CHECK(repetition_key("store", "a phrase alone") != key("a phrase alone"));
}
