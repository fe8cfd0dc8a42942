#include "tests/unit/http/server_fixture.hpp"

#include <doctest/doctest.h>

#include <numeric>

using namespace weir;
using namespace weir::test;

namespace {

uint64_t in_state(const listening& server, connection_state state) {
  return server.figures().by_state[static_cast<size_t>(state)];
}

/// Whether `count` connections come to be in `state`, and no other is.
bool all_are(const listening& server, connection_state state, uint64_t count) {
  return eventually([&] {
    const auto now = server.figures().by_state;
    return in_state(server, state) == count
      && std::accumulate(now.begin(), now.end(), uint64_t{0}) == count;
  });
}

constexpr std::string_view head
  = "PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n";

} // namespace

TEST_CASE("connection states: one request goes through them in turn") {
  taken_queue queue;
  const listening server{taking(queue)};
  wire_client client{server.port()};
  CHECK(all_are(server, connection_state::idle, 1));
  client.send(head.substr(0, 10));
  CHECK(all_are(server, connection_state::reading_head, 1));
  client.send(head.substr(10));
  CHECK(all_are(server, connection_state::reading_body, 1));
  client.send("12345678");
  auto taken = queue.next();
  CHECK(all_are(server, connection_state::answering, 1));
  taken.answer({});
  CHECK(status_of(client.answer()) == 200);
  CHECK(all_are(server, connection_state::idle, 1));
  client.close();
  CHECK(all_are(server, connection_state::idle, 0));
}

TEST_CASE("connection states: who waits for room is held") {
  taken_queue queue;
  auto small = quick_options();
  small.budget_bytes = 8;
  const listening server{taking(queue), small};
  wire_client first{server.port()};
  first.send(std::string{head} + "12345678");
  auto taken = queue.next();
  wire_client second{server.port()};
  second.send(head);
  CHECK(
    eventually([&] { return in_state(server, connection_state::held) == 1; }));
  taken.answer({});
  CHECK(eventually(
    [&] { return in_state(server, connection_state::reading_body) == 1; }));
  CHECK(in_state(server, connection_state::held) == 0);
}

TEST_CASE("connection states: an answer that nobody reads is being written") {
  const auto large = [](const request_head&) {
    body_wish wish;
    wish.answer = [](const reply& answer) {
      http_response response;
      response.body = std::string(size_t{64} << 20, 'x');
      answer(std::move(response));
    };
    return wish;
  };
  const listening server{large};
  wire_client client{server.port()};
  client.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(all_are(server, connection_state::writing, 1));
  client.close();
  CHECK(all_are(server, connection_state::writing, 0));
}

TEST_CASE("connection states: who is answered for the last time is closing") {
  const listening server{echo};
  wire_client client{server.port()};
  client.send("no HTTP at all\r\n\r\n");
  CHECK(status_of(client.answer()) == 400);
  CHECK(all_are(server, connection_state::closing, 1));
  client.close();
  CHECK(all_are(server, connection_state::closing, 0));
}
