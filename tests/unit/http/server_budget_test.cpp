#include "tests/unit/http/server_fixture.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <thread>
#include <vector>

using namespace weir;
using namespace weir::test;
using namespace std::chrono_literals;

namespace {

server_options small_budget() {
  auto options = quick_options();
  options.budget_bytes = 1000;
  return options;
}

const std::string large = put(std::string(800, 'x'));
constexpr std::string_view announced
  = "PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 800\r\n"
    "Expect: 100-continue\r\n\r\n";

bool held_are(const listening& server, uint64_t count) {
  return eventually([&] { return server.figures().held == count; });
}

} // namespace

TEST_CASE("budget: a request without room waits until a reply was sent") {
  taken_queue queue;
  const listening server{taking(queue), small_budget()};
  wire_client first{server.port()};
  first.send(large);
  auto taken = queue.next();
  wire_client second{server.port()};
  second.send(announced);
  CHECK(held_are(server, 1));
  CHECK(second.silent());
  CHECK(server.figures().budget_used == 800);
  taken.answer({});
  CHECK(status_of(first.answer()) == 200);
  CHECK(status_of(second.answer(false)) == 100);
  second.send(std::string(800, 'y'));
  CHECK(queue.next().body == std::string(800, 'y'));
  CHECK(held_are(server, 0));
}

TEST_CASE("budget: a body that is here already is not asked for") {
  const listening server{echo};
  wire_client client{server.port()};
  const auto answer = client.ask(put("x", "Expect: 100-continue\r\n"));
  CHECK(status_of(answer) == 200);
}

TEST_CASE("budget: small requests do not overtake a large one that waits") {
  taken_queue queue;
  const listening server{taking(queue), small_budget()};
  wire_client first{server.port()};
  first.send(large);
  auto taken = queue.next();
  wire_client second{server.port()};
  second.send(large);
  CHECK(held_are(server, 1));
  wire_client third{server.port()};
  third.send(put("small"));
  CHECK(held_are(server, 2));
  CHECK(queue.size() == 0);
  taken.answer({});
  auto next = queue.next();
  CHECK(next.body.size() == 800);
  CHECK(queue.next().body == "small");
}

TEST_CASE("budget: a request without a body needs no room") {
  taken_queue queue;
  const listening server{taking(queue), small_budget()};
  wire_client first{server.port()};
  first.send(put(std::string(1000, 'x')));
  const auto taken = queue.next();
  wire_client second{server.port()};
  second.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(queue.next().head.method == "GET");
}

TEST_CASE("budget: after the hold it is 503 and when to come back") {
  taken_queue queue;
  const listening server{taking(queue, 1000, 30ms), small_budget()};
  wire_client first{server.port()};
  first.send(large);
  const auto taken = queue.next();
  wire_client second{server.port()};
  second.send(large);
  const auto answer = second.answer();
  CHECK(status_of(answer) == 503);
  CHECK(field_of(answer, "Retry-After") == "10");
  const auto body = nlohmann::json::parse(body_of(answer));
  CHECK(body["errcode"] == "M_LIMIT_EXCEEDED");
  CHECK(body["retry_after_ms"] == 10'000);
  CHECK(second.ended());
  CHECK(queue.size() == 0);
  CHECK(server.figures().refused == 1);
  CHECK(server.figures().refusals.busy == 1);
  CHECK(server.figures().budget_used == 800);
}

TEST_CASE("budget: a held client that goes away leaves the line") {
  taken_queue queue;
  const listening server{taking(queue), small_budget()};
  wire_client first{server.port()};
  first.send(large);
  auto taken = queue.next();
  std::optional<wire_client> second{std::in_place, server.port()};
  second->send(large);
  CHECK(held_are(server, 1));
  wire_client third{server.port()};
  third.send(put("small"));
  CHECK(held_are(server, 2));
  second.reset();
  CHECK(queue.next().body == "small");
  CHECK(held_are(server, 0));
  CHECK(eventually([&] { return server.figures().connections == 2; }));
}

TEST_CASE("budget: a chunked body takes its bound and keeps what it needs") {
  taken_queue queue;
  const listening server{taking(queue, 600), small_budget()};
  wire_client client{server.port()};
  client.send("PUT /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
              "chunked\r\n\r\n5\r\nhello\r\n");
  CHECK(eventually([&] { return server.figures().budget_used == 600; }));
  client.send("0\r\n\r\n");
  auto taken = queue.next();
  CHECK(taken.body == "hello");
  CHECK(taken.body.capacity() >= 69);
  CHECK(server.figures().budget_used == 5);
}

TEST_CASE("budget: a gate holds a request with nothing reserved or read") {
  taken_queue queue;
  std::function<void()> open;
  std::atomic<bool> asked{false};
  const auto inner = taking(queue);
  const listening server{[&](const request_head& head) {
                           auto wish = inner(head);
                           wish.gate = [&](std::function<void()> opener) {
                             open = std::move(opener);
                             asked = true;
                           };
                           return wish;
                         },
                         small_budget()};
  wire_client client{server.port()};
  client.send(announced);
  CHECK(held_are(server, 1));
  CHECK(server.figures().budget_used == 0);
  CHECK(client.silent());
  REQUIRE(eventually([&] { return asked.load(); }));
  open();
  CHECK(status_of(client.answer(false)) == 100);
  client.send(std::string(800, 'x'));
  CHECK(queue.next().body.size() == 800);
  open();
}

TEST_CASE("budget: a gate that opens at once holds nothing") {
  const listening server{[](const request_head& head) {
    auto wish = echo(head);
    wish.gate = [](const std::function<void()>& open) { open(); };
    return wish;
  }};
  wire_client client{server.port()};
  CHECK(body_of(client.ask(put("x"))) == "PUT /x x");
}

TEST_CASE("budget: a gate that stays shut ends in 503 after the hold") {
  std::function<void()> late;
  const listening server{[&](const request_head& head) {
    auto wish = echo(head);
    wish.hold = 30ms;
    wish.gate = [&, first = head.target == "/x"](std::function<void()> open) {
      if (first)
        late = std::move(open);
    };
    return wish;
  }};
  wire_client client{server.port()};
  CHECK(status_of(client.ask("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")) == 503);
  late();
}

TEST_CASE("budget: under many clients and threads every byte comes back") {
  constexpr int clients = 8;
  constexpr int rounds = 100;
  auto options = quick_options();
  options.budget_bytes = 100'000;
  const listening server{echo, options, 2};
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i)
    threads.emplace_back([&, i] {
      wire_client client{server.port()};
      for (int round = 0; round < rounds; ++round) {
        const std::string body(static_cast<size_t>(1 + round * 700 + i), 'x');
        right += body_of(client.ask(put(body))) == "PUT /x " + body ? 1 : 0;
      }
    });
  for (auto& thread : threads)
    thread.join();
  CHECK(right == clients * rounds);
  CHECK(eventually([&] { return server.figures().budget_used == 0; }));
  CHECK(server.figures().held == 0);
}

TEST_CASE("budget: throughput is printed, for a person to look at") {
  for (const size_t size : {size_t{100}, size_t{100'000}}) {
    const listening server{[](const request_head&) {
      body_wish wish;
      wish.body_bytes_max = 1 << 20;
      wish.take = [](const std::string&, const reply& answer) {
        answer({200, {}, "{}"});
      };
      return wish;
    }};
    const auto request = put(std::string(size, 'x'));
    const auto begun = std::chrono::steady_clock::now();
    int count = 0;
    wire_client client{server.port()};
    for (; count < 1000; ++count)
      REQUIRE(status_of(client.ask(request)) == 200);
    const std::chrono::duration<double> took
      = std::chrono::steady_clock::now() - begun;
    MESSAGE(size << " byte bodies, one connection: " << count / took.count()
                 << " requests/s");
  }
}
