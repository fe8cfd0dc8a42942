#include "tests/unit/http/server_fixture.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace weir;
using namespace weir::test;
using namespace std::chrono_literals;

namespace {

/// What one connection is told that sends `bytes`: the status, after which it
/// must be closed and the handler not called.
int refusal_of(std::string_view bytes) {
  taken_queue queue;
  const listening server{taking(queue, 1000)};
  wire_client client{server.port()};
  const auto answer = client.ask(bytes);
  CHECK(field_of(answer, "Connection") == "close");
  CHECK(nlohmann::json::parse(body_of(answer)).contains("errcode"));
  CHECK(client.ended());
  CHECK(queue.size() == 0);
  CHECK(server.figures().refused == 1);
  CHECK(server.figures().budget_used == 0);
  return status_of(answer);
}

std::string with_fields(std::string_view fields, std::string_view rest = {}) {
  std::string text{"PUT /x HTTP/1.1\r\nHost: a\r\n"};
  return text.append(fields).append("\r\n").append(rest);
}

} // namespace

TEST_CASE("hygiene: Content-Length beside Transfer-Encoding is refused") {
  CHECK(refusal_of(with_fields("Content-Length: 5\r\nTransfer-Encoding: "
                               "chunked\r\n",
                               "0\r\n\r\n"))
        == 400);
  CHECK(refusal_of(with_fields("Transfer-Encoding: chunked\r\nContent-Length: "
                               "5\r\n",
                               "0\r\n\r\n"))
        == 400);
  CHECK(refusal_of(with_fields("Transfer-Encoding: gzip\r\nContent-Length: "
                               "5\r\n",
                               "hello"))
        == 400);
}

TEST_CASE("hygiene: Content-Lengths that differ are refused, equal ones pass") {
  CHECK(refusal_of(
          with_fields("Content-Length: 5\r\nContent-Length: 6\r\n", "hello!"))
        == 400);
  CHECK(refusal_of(with_fields("Content-Length: 5, 6\r\n", "hello!")) == 400);
  const listening server{echo};
  wire_client client{server.port()};
  CHECK(body_of(client.ask(with_fields("Content-Length: 5\r\nContent-Length: "
                                       "5\r\n",
                                       "hello")))
        == "PUT /x hello");
}

TEST_CASE("hygiene: a Content-Length that is no number is refused") {
  for (const std::string value : {"+5", "-5", "0x5", "5a", "5 5", "",
                                  "99999999999999999999", "5;", "\"5\""}) {
    CAPTURE(value);
    CHECK(refusal_of(with_fields("Content-Length: " + value + "\r\n", "hello"))
          == 400);
  }
}

TEST_CASE("hygiene: bad framing of a head is refused") {
  using namespace std::string_literals;
  for (const std::string& bytes :
       {"GET /x HTTP/1.1\r\nHost : a\r\n\r\n"s,
        "GET /x HTTP/1.1\r\n Host: a\r\n\r\n"s,
        "GET /x HTTP/1.1\r\nHost: a\nX: b\r\n\r\n"s,
        "GET /x HTTP/1.1\r\nHost: a\rX: b\r\n\r\n"s,
        "GET /x HTTP/1.1\r\nHost: a\0b\r\n\r\n"s,
        "GET /x HTTP/1.1\r\nHost a\r\n\r\n"s, "GET /x HTTP/1.1\r\n: a\r\n\r\n"s,
        "GET  /x HTTP/1.1\r\nHost: a\r\n\r\n"s, "GET /x\r\nHost: a\r\n\r\n"s,
        "GET /x HTTP/1.2\r\nHost: a\r\n\r\n"s,
        "GET /x HTTP/2.0\r\nHost: a\r\n\r\n"s,
        "GET /x http/1.1\r\nHost: a\r\n\r\n"s,
        "G{T /x HTTP/1.1\r\nHost: a\r\n\r\n"s,
        "GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n"s, "GET /x HTTP/1.1\r\n\r\n"s,
        "GET /x HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"s,
        "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"s,
        "POST /x HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"s}) {
    CAPTURE(bytes);
    CHECK(refusal_of(bytes) == 400);
  }
}

TEST_CASE("hygiene: an HTTP/2 preface, TLS and garbage are refused") {
  using namespace std::string_literals;
  CHECK(refusal_of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == 400);
  CHECK(refusal_of("\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03"s) == 400);
  CHECK(refusal_of("\xff\xfe\xfd\r\n\r\n") == 400);
  CHECK(refusal_of("{\"events\":[]}\r\n") == 400);
}

TEST_CASE("hygiene: a transfer coding that is not chunked alone is refused") {
  for (const std::string value :
       {"gzip", "gzip, chunked", "chunked, gzip", "identity", "xchunked",
        "gzip\r\nTransfer-Encoding: chunked"}) {
    CAPTURE(value);
    CHECK(refusal_of(
            with_fields("Transfer-Encoding: " + value + "\r\n", "0\r\n\r\n"))
          == 501);
  }
  CHECK(refusal_of(with_fields("Transfer-Encoding: chunked\r\n"
                               "Transfer-Encoding: chunked\r\n",
                               "0\r\n\r\n"))
        == 400);
}

TEST_CASE("hygiene: too long heads and targets are told apart") {
  CHECK(refusal_of(with_fields("X: " + std::string(40'000, 'x') + "\r\n"))
        == 431);
  std::string many;
  for (int i = 0; i < 10'000; ++i)
    many.append("A: b\r\n");
  CHECK(refusal_of(with_fields(many)) == 431);
  const auto asked = [](size_t size) {
    return "GET /" + std::string(size, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n";
  };
  CHECK(refusal_of(asked(20'000)) == 414);
  CHECK(refusal_of(asked(100'000)) == 414);
}

TEST_CASE("hygiene: a head that comes in small pieces is bounded as a whole") {
  const listening server{echo};
  wire_client client{server.port()};
  client.send("GET / HTTP/1.1\r\nHost: a\r\n");
  // Piece by piece, each far below the bound of 32 KiB, all of them above it.
  for (int i = 0; i < 40; ++i)
    client.send("A: " + std::string(1'000, 'x') + "\r\n");
  client.send("\r\n");
  CHECK(status_of(client.answer()) == 431);
}

TEST_CASE("hygiene: a body above its bound is refused before it is read") {
  CHECK(refusal_of(put(std::string(1001, 'x'))) == 413);
  CHECK(refusal_of("PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: "
                   "18446744073709551615\r\n\r\n")
        == 413);
  CHECK(refusal_of(
          with_fields("Transfer-Encoding: chunked\r\n",
                      "3e9\r\n" + std::string(1001, 'x') + "\r\n0\r\n\r\n"))
        == 413);
  CHECK(refusal_of(
          with_fields("Transfer-Encoding: chunked\r\n", "ffffffffffffffff\r\n"))
        == 413);
}

TEST_CASE("hygiene: a coded body is refused, identity is read") {
  CHECK(refusal_of(put("x", "Content-Encoding: gzip\r\n")) == 415);
  const listening server{echo};
  wire_client client{server.port()};
  CHECK(status_of(client.ask(put("x", "Content-Encoding: identity\r\n")))
        == 200);
}

TEST_CASE("hygiene: bad chunks are refused") {
  for (const std::string body :
       {"x\r\nhello\r\n0\r\n\r\n", "5\r\nhelloX\r\n0\r\n\r\n",
        "-5\r\nhello\r\n0\r\n\r\n", "5\nhello\r\n0\r\n\r\n",
        "10000000000000000\r\nhello\r\n0\r\n\r\n"}) {
    CAPTURE(body);
    CHECK(refusal_of(with_fields("Transfer-Encoding: chunked\r\n", body))
          == 400);
  }
}

TEST_CASE("hygiene: chunks, their extensions and a trailer make one body") {
  const listening server{echo};
  wire_client client{server.port()};
  for (int i = 0; i < 2; ++i)
    CHECK(body_of(client.ask(
            with_fields("Transfer-Encoding: chunked\r\n",
                        "5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nX: y\r\n\r\n")))
          == "PUT /x hello world");
  CHECK(eventually([&] { return server.figures().budget_used == 0; }));
}

TEST_CASE("hygiene: an endless trailer or chunk extension is refused") {
  const std::string endless(200'000, 'x');
  taken_queue queue;
  const listening server{taking(queue)};
  for (const auto& body : {"0\r\nX: " + endless, "5;" + endless}) {
    wire_client client{server.port()};
    const auto answer
      = client.ask(with_fields("Transfer-Encoding: chunked\r\n", body));
    CHECK(status_of(answer) >= 400);
    CHECK(client.ended());
  }
  CHECK(queue.size() == 0);
}

TEST_CASE("hygiene: an unknown expectation is refused") {
  CHECK(refusal_of(put("x", "Expect: a-miracle\r\n")) == 417);
}

TEST_CASE("hygiene: a truncated body never reaches the handler") {
  taken_queue queue;
  const listening server{taking(queue)};
  const auto whole = put(std::string(1000, 'x'));
  for (const auto& bytes :
       {whole.substr(0, whole.size() - 1),
        with_fields("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n"),
        with_fields("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n"),
        std::string{"PUT /x HTTP/1.1\r\nHost: a\r\nContent-Le"}}) {
    wire_client client{server.port()};
    client.send(bytes);
    client.end_sending();
    CHECK(client.ended());
  }
  CHECK(eventually([&] { return server.figures().connections == 0; }));
  CHECK(queue.size() == 0);
  CHECK(server.figures().budget_used == 0);
}

TEST_CASE("hygiene: a slow head and a slow body are answered 408") {
  taken_queue queue;
  auto options = quick_options();
  options.header_time = 30ms;
  options.body_time = 30ms;
  const listening server{taking(queue), options};
  for (const std::string& bytes :
       {std::string{"PUT /x HTTP/1.1\r\nHo"}, put("hello").substr(0, 50),
        with_fields("Transfer-Encoding: chunked\r\n", "5\r\nhel")}) {
    wire_client client{server.port()};
    const auto answer = client.ask(bytes);
    CHECK(status_of(answer) == 408);
    CHECK(field_of(answer, "Connection") == "close");
    CHECK(client.ended());
  }
  CHECK(queue.size() == 0);
  CHECK(server.figures().budget_used == 0);
}

TEST_CASE("hygiene: an idle connection is closed without a word") {
  auto options = quick_options();
  options.idle_time = 300ms; // Enough to ask, also on a busy machine.
  const listening server{echo, options};
  wire_client never{server.port()};
  CHECK(never.ended());
  wire_client once{server.port()};
  CHECK(status_of(once.ask(put("x"))) == 200);
  CHECK(once.ended());
  CHECK(server.figures().refused == 0);
}

TEST_CASE("hygiene: a client that does not read its answer is given up") {
  auto options = quick_options();
  options.body_time = 30ms;
  const listening server{[](const request_head&) {
                           body_wish wish;
                           wish.answer = [](const reply& answer) {
                             answer({200, {}, std::string(32 << 20, 'x')});
                           };
                           return wish;
                         },
                         options};
  wire_client client{server.port()};
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(eventually([&] { return server.figures().requests == 1; }));
  CHECK(eventually([&] { return server.figures().connections == 0; }));
}
