#include "http/client/answer_reader.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace weir;

namespace {

answer_reader push_reader(size_t body_bytes_max = 64) {
  return answer_reader{{body_bytes_max, false, true}};
}

answer_reader whole_reader(size_t body_bytes_max = 64) {
  return answer_reader{{body_bytes_max, true, true}};
}

const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                            "\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: v\r\n\r\n";

} // namespace

TEST_CASE("answer reader: status, fields and body come through unchanged") {
  auto reader = push_reader();
  reader.feed("HTTP/1.1 207 Odd\r\nX-One:  a b \r\nx-one: c\r\n"
              "Content-Length: 3\r\n\r\nabc");
  REQUIRE(reader.finished());
  CHECK(reader.reusable());
  const auto answer = reader.take();
  CHECK(answer.failure == no_answer::none);
  CHECK(answer.status == 207);
  CHECK(answer.fields
        == std::vector<http_field>{
          {"X-One", "a b"}, {"x-one", "c"}, {"Content-Length", "3"}});
  CHECK(answer.body == "abc");
}

TEST_CASE("answer reader: bytes may come one at a time") {
  auto reader = push_reader();
  CHECK(reader.untouched());
  for (const char byte : chunked) {
    REQUIRE(!reader.finished());
    reader.feed({&byte, 1});
    CHECK(!reader.untouched());
  }
  REQUIRE(reader.finished());
  CHECK(reader.reusable());
  CHECK(reader.take().body == "abcde");
}

/// Beast asserts here what does not hold, see http/boost_assert.cpp.
TEST_CASE("answer reader: an empty chunked body may come in any pieces") {
  const std::string body = "0\r\n\r\n";
  for (size_t first = 1; first < body.size(); ++first)
    for (size_t second = first; second < body.size(); ++second) {
      CAPTURE(first);
      CAPTURE(second);
      auto reader = push_reader();
      reader.feed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      reader.feed(body.substr(0, first));
      reader.feed(body.substr(first, second - first));
      reader.feed(body.substr(second));
      REQUIRE(reader.finished());
      CHECK(reader.reusable());
      CHECK(reader.take().status == 200);
    }
}

TEST_CASE("answer reader: a body without length ends when the peer closes") {
  auto reader = whole_reader();
  reader.feed("HTTP/1.1 200 OK\r\n\r\nabc");
  CHECK(!reader.finished());
  CHECK(reader.head_whole());
  reader.end_of_stream();
  REQUIRE(reader.finished());
  CHECK(!reader.reusable());
  const auto answer = reader.take();
  CHECK(answer.failure == no_answer::none);
  CHECK(answer.body == "abc");
}

TEST_CASE("answer reader: interim answers are skipped, but not for ever") {
  const std::string interim = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";
  auto reader = push_reader();
  reader.feed("HTTP/1.1 100 Continue\r\n\r\n" + interim
              + "HTTP/1.1 204 No Content\r\n\r\n");
  REQUIRE(reader.finished());
  const auto answer = reader.take();
  CHECK(answer.status == 204);
  CHECK(answer.fields.empty());

  auto endless = push_reader();
  size_t fed = 0;
  for (; fed < 100 && !endless.finished(); ++fed)
    endless.feed(interim);
  CHECK(fed < 100);
  CHECK(endless.take().failure == no_answer::malformed);
}

TEST_CASE("answer reader: a switch of protocols is no answer") {
  auto reader = push_reader();
  reader.feed("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nwhatever");
  REQUIRE(reader.finished());
  CHECK(!reader.reusable());
  const auto answer = reader.take();
  CHECK(answer.failure == no_answer::malformed);
  CHECK(answer.detail == "answer's status is 101");
}

TEST_CASE("answer reader: HEAD, 204 and 304 have no body to wait for") {
  answer_reader head{{64, true, false}};
  head.feed("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n");
  CHECK(head.finished());
  CHECK(head.reusable());
  for (const auto* line : {"HTTP/1.1 204 None\r\n", "HTTP/1.1 304 Same\r\n"}) {
    auto reader = whole_reader();
    reader.feed(std::string{line} + "Content-Length: 5000\r\n\r\n");
    CHECK(reader.finished());
    CHECK(reader.take().failure == no_answer::none);
  }
}

TEST_CASE("answer reader: a long body is cut and a little of it dropped") {
  auto reader = push_reader(4);
  reader.feed("HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n"
              + std::string(10'000, 'x'));
  REQUIRE(reader.finished());
  CHECK(reader.reusable());
  CHECK(reader.take().body == "xxxx");
}

TEST_CASE("answer reader: a very long body is not read to its end") {
  for (const auto* length :
       {"Content-Length: 9999999999\r\n", "Transfer-Encoding: chunked\r\n"}) {
    auto reader = push_reader(4);
    reader.feed(std::string{"HTTP/1.1 200 OK\r\n"} + length + "\r\n");
    size_t fed = 0;
    for (; fed < 1'000 && !reader.finished(); ++fed)
      reader.feed("400\r\n" + std::string(1024, 'x') + "\r\n");
    CHECK(fed < 1'000);
    CHECK(!reader.reusable());
    const auto answer = reader.take();
    CHECK(answer.failure == no_answer::none);
    CHECK(answer.status == 200);
    CHECK(answer.body.size() == 4);
  }
}

TEST_CASE("answer reader: a body wanted whole is never cut") {
  for (const auto* body :
       {"Content-Length: 5\r\n\r\n", "\r\nabcde",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n"}) {
    auto reader = whole_reader(4);
    reader.feed(std::string{"HTTP/1.1 200 OK\r\n"} + body);
    REQUIRE_MESSAGE(reader.finished(), std::string{body});
    CHECK(!reader.reusable());
    const auto answer = reader.take();
    CHECK(answer.failure == no_answer::too_large);
    CHECK(answer.status == 200);
    CHECK(answer.detail == "answer's body is over 4 bytes");
  }
  auto fits = whole_reader(5);
  fits.feed("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde");
  CHECK(fits.take().failure == no_answer::none);
}

TEST_CASE("answer reader: the head decides when a push's body is cut") {
  const std::string begun = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc";
  auto push = push_reader();
  push.feed(begun);
  push.end_of_stream();
  REQUIRE(push.finished());
  CHECK(!push.reusable());
  const auto answer = push.take();
  CHECK(answer.failure == no_answer::none);
  CHECK(answer.status == 200);
  CHECK(answer.body == "abc");

  auto whole = whole_reader();
  whole.feed(begun);
  whole.end_of_stream();
  CHECK(whole.take().failure == no_answer::reset);

  auto aborted = push_reader();
  aborted.feed(begun);
  aborted.cut(no_answer::aborted, "given up");
  CHECK(aborted.take().failure == no_answer::aborted);
}

TEST_CASE("answer reader: the head decides when a push's body is garbled") {
  const std::string garbled
    = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
      "\r\n3\r\nabc\r\nzz\r\n";
  auto push = push_reader();
  push.feed(garbled);
  REQUIRE(push.finished());
  CHECK(!push.reusable());
  CHECK(push.take().failure == no_answer::none);
  auto whole = whole_reader();
  whole.feed(garbled);
  CHECK(whole.take().failure == no_answer::malformed);
}

TEST_CASE("answer reader: a head that is cut is a reset") {
  auto reader = push_reader();
  reader.feed("HTTP/1.1 200 OK\r\nContent-");
  reader.end_of_stream();
  const auto answer = reader.take();
  CHECK(answer.failure == no_answer::reset);
  CHECK(answer.status == 0);
  CHECK(answer.detail == "the peer closed before the head was whole");
  auto silent = push_reader();
  silent.end_of_stream();
  CHECK(silent.take().detail == "the peer closed before it answered");
}

TEST_CASE("answer reader: what is not HTTP is malformed") {
  for (const auto* text :
       {"SSH-2.0-x\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 abc\r\n\r\n",
        "HTTP/1.1 099 Odd\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"}) {
    auto reader = push_reader();
    reader.feed(text);
    REQUIRE_MESSAGE(reader.finished(), std::string{text});
    CHECK(!reader.reusable());
    const auto answer = reader.take();
    CHECK_MESSAGE(answer.failure == no_answer::malformed, std::string{text});
    CHECK(answer.status == 0);
  }
}

TEST_CASE("answer reader: a head is bounded") {
  auto reader = push_reader();
  reader.feed("HTTP/1.1 200 OK\r\n");
  size_t fed = 0;
  for (; fed < 1'000 && !reader.finished(); ++fed)
    reader.feed("X-Field: " + std::string(1000, 'x') + "\r\n");
  CHECK(fed < 70);
  const auto answer = reader.take();
  CHECK(answer.failure == no_answer::malformed);
  CHECK(answer.detail == "answer's head is over 65536 bytes");
}

TEST_CASE("answer reader: no more requests where the peer says close") {
  for (const auto* text :
       {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nmore"}) {
    auto reader = push_reader();
    reader.feed(text);
    CHECK(reader.finished());
    CHECK(!reader.reusable());
    CHECK(reader.take().failure == no_answer::none);
  }
}

TEST_CASE("answer reader: an answer does not depend on how its bytes come") {
  const std::vector<std::string> samples{
    chunked,
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Made\r\n"
    "X: 1\r\n 2\r\nContent-Length: 4\r\n\r\nabcd",
    "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n" + std::string(40, 'y'),
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabX"};
  for (const auto& text : samples) {
    auto whole = whole_reader(30);
    whole.feed(text);
    const auto expected = whole.take();
    for (size_t first = 1; first < text.size(); ++first)
      for (size_t second = first; second < text.size(); ++second) {
        auto split = whole_reader(30);
        for (const auto& part :
             {text.substr(0, first), text.substr(first, second - first),
              text.substr(second)})
          if (!split.finished())
            split.feed(part);
        const auto answer = split.take();
        REQUIRE(answer.failure == expected.failure);
        REQUIRE(answer.status == expected.status);
        REQUIRE(answer.fields == expected.fields);
        if (answer.failure == no_answer::none)
          REQUIRE(answer.body == expected.body);
      }
  }
}
