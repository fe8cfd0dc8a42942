#include "http/displacement.hpp"

#include "tests/unit/http/server_fixture.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;
using namespace std::chrono_literals;

namespace {

using all = std::vector<std::optional<standing>>;

std::optional<standing> waits(std::chrono::seconds since,
                              bool has_served = false) {
  return standing{std::chrono::steady_clock::time_point{since}, has_served};
}

constexpr std::optional<standing> busy{};

server_options at_most(size_t connections) {
  auto options = quick_options();
  options.connections_max = connections;
  options.idle_time = 60s;
  options.header_time = 60s;
  return options;
}

} // namespace

TEST_CASE("displacement: who waits longest and was never let in goes first") {
  CHECK(displaced(all{waits(5s), waits(3s), waits(4s)}) == 1);
  CHECK(displaced(all{waits(1s, true), waits(3s), waits(4s)}) == 1);
}

TEST_CASE(
  "displacement: who was let in before goes only when nobody else can") {
  CHECK(displaced(all{waits(2s, true), busy, waits(1s, true)}) == 2);
}

TEST_CASE("displacement: nobody goes who has a request under way") {
  CHECK_FALSE(displaced(all{busy, busy}).has_value());
  CHECK_FALSE(displaced(all{}).has_value());
}

TEST_CASE("displacement: a standing tells a request that is under way") {
  standing_now one;
  REQUIRE(one.get());
  CHECK_FALSE(one.get()->has_served);
  one.let_in();
  CHECK_FALSE(one.get());
  one.waits_again(false);
  CHECK_FALSE(one.get()->has_served);
  one.let_in();
  one.waits_again(true);
  CHECK(one.get()->has_served);
  one.let_in();
  one.waits_again(false);
  CHECK(one.get()->has_served);
}

TEST_CASE("displacement: idle connections and half a head keep nobody out") {
  const listening server{echo, at_most(3)};
  wire_client idle{server.port()};
  CHECK(eventually([&] { return server.figures().connections == 1; }));
  wire_client slow{server.port()};
  slow.send("PUT /x HTTP/1.1\r\nHos");
  CHECK(eventually([&] { return server.figures().connections == 2; }));
  wire_client served{server.port()};
  CHECK(body_of(served.ask(put("a"))) == "PUT /x a");
  wire_client next{server.port()};
  CHECK(body_of(next.ask(put("b"))) == "PUT /x b");
  CHECK(idle.ended());
  wire_client last{server.port()};
  CHECK(body_of(last.ask(put("c"))) == "PUT /x c");
  CHECK(slow.ended());
  CHECK(body_of(served.ask(put("d"))) == "PUT /x d");
  CHECK(server.figures().displaced == 2);
}

TEST_CASE(
  "displacement: a request that was let in is not cut off, and who came "
  "is served after it") {
  taken_queue queue;
  const listening server{taking(queue), at_most(1)};
  wire_client first{server.port()};
  first.send(put("a"));
  auto taken = queue.next();
  wire_client second{server.port()};
  second.send(put("b"));
  CHECK(server.figures().displaced == 0);
  taken.answer({200, {}, "done", false});
  CHECK(body_of(first.answer()) == "done");
  auto next = queue.next();
  CHECK(next.body == "b");
  next.answer({200, {}, "too", false});
  CHECK(body_of(second.answer()) == "too");
}
