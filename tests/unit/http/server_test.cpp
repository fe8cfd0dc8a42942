#include "tests/unit/http/server_fixture.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace weir;
using namespace weir::test;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view get = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";

} // namespace

TEST_CASE("server: a body reaches the handler whole, with room for a slicer") {
  taken_queue queue;
  const listening server{taking(queue)};
  wire_client client{server.port()};
  const std::string body(100'000, 'b');
  client.send(put(body, "X-One: 1\r\nx-One: 2\r\n"));
  auto taken = queue.next();
  CHECK(taken.head.method == "PUT");
  CHECK(taken.head.target == "/x");
  CHECK(taken.head.content_length == body.size());
  CHECK(taken.head.remote.starts_with("127.0.0.1:"));
  CHECK(find_field(taken.head.fields, "x-one") == "1");
  CHECK(taken.head.fields.size() == 4);
  CHECK(taken.body == body);
  CHECK(taken.body.capacity() >= body.size() + 64);
  CHECK(server.figures().budget_used == body.size());
  taken.answer({201, {{"X-Two", "2"}}, "{}"});
  const auto answer = client.answer();
  CHECK(status_of(answer) == 201);
  CHECK(field_of(answer, "X-Two") == "2");
  CHECK(field_of(answer, "Content-Type") == "application/json");
  CHECK(field_of(answer, "Connection") == "none");
  CHECK(body_of(answer) == "{}");
  CHECK(eventually([&] { return server.figures().budget_used == 0; }));
}

TEST_CASE("server: one connection serves request after request") {
  const listening server{echo};
  wire_client client{server.port()};
  for (int i = 0; i < 3; ++i)
    CHECK(body_of(client.ask(put("b" + std::to_string(i))))
          == "PUT /x b" + std::to_string(i));
  CHECK(body_of(client.ask(get)) == "GET /x ");
  CHECK(server.figures().requests == 4);
  CHECK(server.figures().connections == 1);
}

TEST_CASE("server: head and body may come byte by byte") {
  const listening server{echo};
  wire_client client{server.port()};
  for (const char byte : put("slow", "Expect: 100-continue\r\n"))
    client.send({&byte, 1});
  auto answer = client.answer();
  if (status_of(answer) == 100)
    answer = client.answer();
  CHECK(body_of(answer) == "PUT /x slow");
}

TEST_CASE("server: empty lines in front of a request line are skipped") {
  const listening server{echo};
  wire_client client{server.port()};
  CHECK(status_of(client.ask("\r\n\r\n" + std::string{get})) == 200);
  CHECK(status_of(client.ask("\r\n" + std::string{get})) == 200);
  CHECK(status_of(client.ask("\r\n\r\n\r\n" + std::string{get})) == 400);
}

TEST_CASE("server: pipelined requests are answered in order, one at a time") {
  taken_queue queue;
  const listening server{taking(queue)};
  wire_client client{server.port()};
  client.send(put("one") + put("two") + put("three"));
  for (const std::string body : {"one", "two", "three"}) {
    auto taken = queue.next();
    CHECK(taken.body == body);
    CHECK(queue.size() == 0);
    CHECK(client.silent());
    taken.answer({200, {}, "re " + body});
    CHECK(body_of(client.answer()) == "re " + body);
  }
}

TEST_CASE("server: HEAD and 204 are answered without a body") {
  const listening server{[](const request_head& head) {
    body_wish wish;
    wish.answer = [none = head.target == "/none"](const reply& answer) {
      answer({none ? 204 : 200, {}, "body"});
    };
    return wish;
  }};
  wire_client client{server.port()};
  client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(field_of(client.answer(false), "Content-Length") == "4");
  const auto none = client.ask("GET /none HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(status_of(none) == 204);
  CHECK(field_of(none, "Content-Length") == "none");
  CHECK(body_of(client.ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n")) == "body");
}

TEST_CASE("server: the client's wish to close is honoured in both versions") {
  const listening server{echo};
  const auto asked = [&](std::string_view line, std::string_view connection) {
    wire_client client{server.port()};
    std::string text{"GET /x HTTP/"};
    text.append(line).append("\r\nHost: a\r\n").append(connection);
    const auto answer = client.ask(text.append("\r\n"));
    CHECK(status_of(answer) == 200);
    const auto end = field_of(answer, "Connection");
    if (end == "close")
      CHECK(client.ended());
    else
      CHECK(status_of(client.ask(get)) == 200);
    return end;
  };
  CHECK(asked("1.1", "") == "none");
  CHECK(asked("1.1", "Connection: Close\r\n") == "close");
  CHECK(asked("1.1", "Connection: x, close\r\n") == "close");
  CHECK(asked("1.0", "") == "close");
  CHECK(asked("1.0", "Connection: keep-alive\r\n") == "keep-alive");
}

TEST_CASE("server: an unwanted small body is dropped and the connection kept") {
  const listening server{[](const request_head&) {
    body_wish wish;
    wish.answer = [](const reply& answer) { answer({403, {}, "{}"}); };
    return wish;
  }};
  wire_client client{server.port()};
  for (int i = 0; i < 3; ++i)
    CHECK(status_of(client.ask(put(std::string(50'000, 'x')))) == 403);
  const auto large = client.ask(put(std::string(70'000, 'x')));
  CHECK(status_of(large) == 403);
  CHECK(field_of(large, "Connection") == "close");
  CHECK(client.ended());
}

TEST_CASE("server: a body that is answered unread is not asked for") {
  const listening server{[](const request_head&) {
    body_wish wish;
    wish.answer = [](const reply& answer) { answer({403, {}, "{}"}); };
    return wish;
  }};
  wire_client client{server.port()};
  const auto answer
    = client.ask("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: "
                 "9\r\nExpect: 100-continue\r\n\r\n");
  CHECK(status_of(answer) == 403);
  CHECK(field_of(answer, "Connection") == "close");
  CHECK(client.ended());
}

TEST_CASE("server: a reply may come from another thread, and only once") {
  taken_queue queue;
  const listening server{taking(queue)};
  wire_client client{server.port()};
  client.send(put("a"));
  auto first = queue.next();
  const auto again = first.answer;
  first.answer({200, {}, "right"});
  again({200, {}, "wrong"});
  CHECK(body_of(client.answer()) == "right");
  client.send(put("b"));
  auto second = queue.next();
  again({200, {}, "wrong"});
  second.answer({200, {}, "right again"});
  CHECK(body_of(client.answer()) == "right again");
}

TEST_CASE("server: a reply that is dropped answers 500") {
  taken_queue queue;
  const listening server{taking(queue)};
  wire_client client{server.port()};
  client.send(put("a"));
  queue.next();
  const auto answer = client.answer();
  CHECK(status_of(answer) == 500);
  CHECK(nlohmann::json::parse(body_of(answer))["errcode"] == "M_UNKNOWN");
}

TEST_CASE("server: a reply after the client went away does nothing") {
  taken_queue queue;
  const listening server{taking(queue)};
  std::optional<wire_client> client{std::in_place, server.port()};
  client->send(put("a"));
  auto taken = queue.next();
  client.reset();
  CHECK(server.figures().budget_used == 1);
  taken.answer({200, {}, std::string(1 << 20, 'x')});
  CHECK(eventually([&] { return server.figures().connections == 0; }));
  CHECK(server.figures().budget_used == 0);
}

TEST_CASE("server: a reply may outlive the server") {
  taken_queue queue;
  reply late;
  {
    const listening server{taking(queue)};
    wire_client client{server.port()};
    client.send(put("a"));
    late = queue.next().answer;
  }
  late({});
  CHECK(queue.size() == 0);
}

TEST_CASE("server: a drain closes the idle and answers what is under way") {
  taken_queue queue;
  listening server{taking(queue)};
  wire_client idle{server.port()};
  idle.send(put("a"));
  queue.next().answer({});
  CHECK(status_of(idle.answer()) == 200);
  wire_client busy{server.port()};
  busy.send(put("b"));
  auto taken = queue.next();
  server.server().drain(20s);
  CHECK(idle.ended());
  CHECK(busy.silent());
  taken.answer({});
  const auto answer = busy.answer();
  CHECK(status_of(answer) == 200);
  CHECK(field_of(answer, "Connection") == "close");
  CHECK(busy.ended());
  busy.close();
  CHECK(eventually([&] { return server.figures().connections == 0; }));
  wire_client late{server.port()};
  late.send(get);
  CHECK(late.ended());
}

TEST_CASE("server: a stop closes everything at once") {
  taken_queue queue;
  listening server{taking(queue)};
  wire_client busy{server.port()};
  busy.send(put("b"));
  const auto taken = queue.next();
  server.server().stop();
  CHECK(busy.ended());
  CHECK(eventually([&] { return server.figures().connections == 0; }));
  CHECK(server.figures().budget_used == 0);
}

TEST_CASE("server: IPv6 is listened on in brackets") {
  auto options = quick_options();
  options.address = "[::1]:0";
  const listening server{echo, options};
  wire_client client{server.port(), true};
  CHECK(status_of(client.ask(get)) == 200);
}
