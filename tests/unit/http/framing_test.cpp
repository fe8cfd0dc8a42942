#include "http/framing.hpp"

#include <doctest/doctest.h>

using namespace weir;

namespace {

request_head asked(std::vector<http_field> fields, std::string target = "/x") {
  request_head head;
  head.method = "GET";
  head.target = std::move(target);
  head.fields = std::move(fields);
  head.fields.push_back({"Host", "a"});
  return head;
}

int refusal_of(request_head head, bool http_1_0 = false) {
  request_framing framing;
  framing.http_1_0 = http_1_0;
  const auto problem = head_problem(head, framing);
  return problem ? problem->status : 0;
}

std::string target_after(std::string target) {
  auto head = asked({}, std::move(target));
  request_framing framing;
  return head_problem(head, framing) ? "refused" : head.target;
}

} // namespace

TEST_CASE("framing: an absolute target is cut to its path") {
  CHECK(target_after("/a?b") == "/a?b");
  CHECK(target_after("*") == "*");
  CHECK(target_after("http://host:1/a/b?c") == "/a/b?c");
  CHECK(target_after("HTTPS://host") == "/");
  CHECK(target_after("http://host?x=/y") == "/?x=/y");
  CHECK(target_after("host:443") == "refused");
  CHECK(target_after("ftp://host/a") == "refused");
  CHECK(target_after("a/b") == "refused");
}

TEST_CASE("framing: exactly one Host is needed from HTTP/1.1 on") {
  auto head = asked({});
  CHECK(refusal_of(head) == 0);
  CHECK(refusal_of(asked({{"host", "b"}})) == 400);
  head.fields.clear();
  CHECK(refusal_of(head) == 400);
  CHECK(refusal_of(head, true) == 0);
}

TEST_CASE("framing: only one transfer coding is known, and it stands alone") {
  CHECK(refusal_of(asked({{"transfer-encoding", "Chunked"}})) == 0);
  CHECK(refusal_of(asked({{"Transfer-Encoding", "gzip"}})) == 501);
  CHECK(refusal_of(asked({{"Transfer-Encoding", "gzip, chunked"}})) == 501);
  CHECK(refusal_of(asked({{"Transfer-Encoding", "chunked, gzip"}})) == 501);
  CHECK(refusal_of(asked(
          {{"Transfer-Encoding", "gzip"}, {"Transfer-Encoding", "chunked"}}))
        == 501);
  CHECK(refusal_of(asked({{"Transfer-Encoding", "chunked"}}), true) == 400);
  CHECK(
    refusal_of(asked({{"Transfer-Encoding", "gzip"}, {"Content-Length", "0"}}))
    == 400);
}

TEST_CASE("framing: a target of the bound passes, one byte more does not") {
  CHECK(refusal_of(asked({}, "/" + std::string(target_bytes_max - 1, 'a')))
        == 0);
  CHECK(refusal_of(asked({}, "/" + std::string(target_bytes_max, 'a'))) == 414);
}

TEST_CASE("framing: only 100-continue is expected, and not in HTTP/1.0") {
  auto head = asked({{"Expect", "100-Continue"}});
  request_framing framing;
  CHECK(!head_problem(head, framing));
  CHECK(framing.expects_continue);
  CHECK(refusal_of(asked({{"Expect", "a miracle"}})) == 417);
  request_framing old{true, true, false};
  CHECK(!head_problem(head, old));
  CHECK(!old.expects_continue);
}

TEST_CASE("framing: a coded or too large body is not read") {
  auto head = asked({{"Content-Encoding", "gzip"}});
  CHECK(!body_problem(head, 10));
  head.content_length = 10;
  CHECK(body_problem(head, 10)->status == 415);
  CHECK(find_field(body_problem(head, 10)->fields, "accept-encoding")
        == "identity");
  head.fields = {{"Content-Encoding", "Identity"}};
  CHECK(!body_problem(head, 10));
  CHECK(body_problem(head, 9)->status == 413);
}

TEST_CASE("framing: a head says what the body is and how the answer ends") {
  CHECK(response_head({200, {}, "{}"}, {})
        == "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
           "Content-Length: 2\r\n\r\n");
  CHECK(
    response_head({200, {{"content-type", "a/b"}}, "x"}, {false, false, true})
    == "HTTP/1.1 200 OK\r\ncontent-type: a/b\r\nContent-Length: 1\r\n"
       "Connection: close\r\n\r\n");
  CHECK(response_head({404, {}, ""}, {false, true, false})
        == "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n"
           "Connection: keep-alive\r\n\r\n");
  CHECK(response_head({299, {}, ""}, {})
        == "HTTP/1.1 299 Status\r\nContent-Length: 0\r\n\r\n");
}

TEST_CASE("framing: an answer without content carries no length or body") {
  CHECK(response_head({204, {}, "x"}, {}) == "HTTP/1.1 204 No Content\r\n\r\n");
  CHECK(!sends_body({204, {}, "x"}, false));
  CHECK(!sends_body({304, {}, "x"}, false));
  CHECK(!sends_body({200, {}, "x"}, true));
  CHECK(sends_body({200, {}, "x"}, false));
}

TEST_CASE("framing: no field of an answer can end a line or frame the body") {
  const auto head = response_head({200,
                                   {{"A", "x\r\nB: y"},
                                    {"C\n", "z"},
                                    {"D", std::string{"a\0b", 3}},
                                    {"", "e"},
                                    {"content-length", "99"},
                                    {"Transfer-Encoding", "chunked"},
                                    {"connection", "x"},
                                    {"Keep-Alive", "x"},
                                    {"Good", "yes"}},
                                   ""},
                                  {});
  CHECK(head == "HTTP/1.1 200 OK\r\nGood: yes\r\nContent-Length: 0\r\n\r\n");
}
