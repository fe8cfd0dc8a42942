#include "tests/unit/http/server_fixture.hpp"

#include <doctest/doctest.h>

#include <future>
#include <optional>

using namespace weir;
using namespace weir::test;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view get = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view get_stall = "GET /stall HTTP/1.1\r\nHost: a\r\n\r\n";

/// Answers like `echo`; a request of `/stall` first keeps the only I/O thread
/// until `go_on`, so that what comes meanwhile lies unread.
class stalling {
public:
  head_handler handler() {
    return [this](const request_head& head) {
      if (head.target == "/stall") {
        stalled_.set_value();
        going_on_.wait();
      }
      return echo(head);
    };
  }
  void wait_for_stall() {
    stalled_.get_future().wait();
  }
  void go_on() {
    go_on_.set_value();
  }

private:
  std::promise<void> stalled_;
  std::promise<void> go_on_;
  std::future<void> going_on_{go_on_.get_future()};
};

server_options small_budget() {
  auto options = quick_options();
  options.budget_bytes = 1000;
  return options;
}

const std::string large = put(std::string(800, 'x'));

bool held_are(const listening& server, uint64_t count) {
  return eventually([&] { return server.figures().held == count; });
}

void check_last_answer(wire_client& client) {
  const auto answer = client.answer();
  CHECK(status_of(answer) == 200);
  CHECK(field_of(answer, "Connection") == "close");
  CHECK(client.ended());
}

} // namespace

TEST_CASE("server drain: a request that was not read yet is served") {
  stalling stall;
  listening server{stall.handler()};
  wire_client kept{server.port()};
  CHECK(status_of(kept.ask(get)) == 200);
  wire_client fresh{server.port()};
  CHECK(eventually([&] { return server.figures().connections == 2; }));
  wire_client first{server.port()};
  first.send(get_stall);
  stall.wait_for_stall();
  kept.send(get);
  fresh.send(get);
  server.server().drain(20s);
  stall.go_on();
  check_last_answer(first);
  check_last_answer(kept);
  check_last_answer(fresh);
}

TEST_CASE("server drain: a request with its body half sent is served") {
  stalling stall;
  listening server{stall.handler()};
  wire_client kept{server.port()};
  CHECK(status_of(kept.ask(get)) == 200);
  wire_client first{server.port()};
  first.send(get_stall);
  stall.wait_for_stall();
  const auto request = put("a body in two parts");
  kept.send(std::string_view{request}.substr(0, request.size() - 5));
  server.server().drain(20s);
  stall.go_on();
  check_last_answer(first);
  CHECK(kept.silent());
  kept.send(std::string_view{request}.substr(request.size() - 5));
  check_last_answer(kept);
}

TEST_CASE("server drain: who waits in the backlog is served") {
  stalling stall;
  auto options = quick_options();
  options.connections_max = 1;
  listening server{stall.handler(), options};
  std::optional<wire_client> first{std::in_place, server.port()};
  first->send(get_stall);
  stall.wait_for_stall();
  wire_client second{server.port()};
  second.send(get);
  wire_client third{server.port()};
  third.send(get);
  server.server().drain(20s);
  CHECK_FALSE(server.server().drained());
  stall.go_on();
  check_last_answer(*first);
  first.reset();
  check_last_answer(second);
  second.close();
  check_last_answer(third);
  third.close();
  CHECK(eventually([&] { return server.server().drained(); }));
}

TEST_CASE("server drain: who comes after it is refused") {
  listening server{echo};
  server.server().drain(20s);
  CHECK(eventually([&] { return server.server().drained(); }));
  wire_client late{server.port()};
  late.send(get);
  CHECK(late.ended());
}

TEST_CASE("server drain: who connected and asks nothing does not hold it up") {
  listening server{echo};
  wire_client mute{server.port()};
  CHECK(eventually([&] { return server.figures().connections == 1; }));
  server.server().drain(20s);
  CHECK(mute.ended());
  CHECK(eventually([&] { return server.server().drained(); }));
}

TEST_CASE("server drain: an empty line is no request") {
  stalling stall;
  listening server{stall.handler()};
  wire_client kept{server.port()};
  CHECK(status_of(kept.ask(get)) == 200);
  wire_client first{server.port()};
  first.send(get_stall);
  stall.wait_for_stall();
  kept.send("\r\n");
  server.server().drain(20s);
  stall.go_on();
  check_last_answer(first);
  CHECK(kept.ended());
}

TEST_CASE("server drain: who waits for room for a body is served") {
  taken_queue queue;
  listening server{taking(queue), small_budget()};
  wire_client first{server.port()};
  first.send(large);
  auto taken = queue.next();
  wire_client second{server.port()};
  second.send(large);
  CHECK(held_are(server, 1));
  server.server().drain(20s);
  taken.answer({});
  check_last_answer(first);
  queue.next().answer({});
  check_last_answer(second);
  CHECK(eventually([&] { return server.server().drained(); }));
}

TEST_CASE("server drain: who finds no room in its time is told to come back") {
  taken_queue queue;
  listening server{taking(queue), small_budget()};
  wire_client first{server.port()};
  first.send(large);
  auto taken = queue.next();
  wire_client second{server.port()};
  second.send(large);
  CHECK(held_are(server, 1));
  server.server().drain(500ms);
  const auto answer = second.answer();
  CHECK(status_of(answer) == 503);
  CHECK(field_of(answer, "Retry-After") == "10");
  CHECK(second.ended());
  taken.answer({});
  check_last_answer(first);
}

TEST_CASE("server drain: who waits before a gate is told to come back") {
  std::function<void()> open;
  listening server{[&](const request_head& head) {
    auto wish = echo(head);
    wish.gate = [&](std::function<void()> opener) { open = std::move(opener); };
    return wish;
  }};
  wire_client client{server.port()};
  client.send(large);
  CHECK(held_are(server, 1));
  server.server().drain(20s);
  CHECK(status_of(client.answer()) == 503);
  CHECK(client.ended());
}
