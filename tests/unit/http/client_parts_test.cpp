#include "http/client/address_order.hpp"
#include "http/client/idle_pool.hpp"
#include "http/client/peer_endpoint.hpp"
#include "http/client/request_head.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using namespace weir;
using namespace std::chrono_literals;

namespace {

peer_endpoint peer_of(std::string_view url) {
  auto peer = parse_peer_url(url);
  REQUIRE_MESSAGE(peer.has_value(), url);
  return peer.value();
}

std::string head_of(const http_request& request) {
  auto head = build_request_head(request, peer_of(request.peer.url));
  REQUIRE(head.has_value());
  return head.value();
}

http_request request_to(std::string url, std::string target) {
  http_request request;
  request.method = "GET";
  request.peer.url = std::move(url);
  request.target = std::move(target);
  return request;
}

bool is_refused(const http_request& request) {
  const auto head = build_request_head(request, peer_of(request.peer.url));
  return !head && head.error().code == ec::invalid_argument;
}

} // namespace

TEST_CASE("peer url: host, port and base path come apart") {
  const auto peer = peer_of("http://bridge.example:8510/base/path");
  CHECK(peer.kind == peer_endpoint::transport::plain);
  CHECK(peer.host == "bridge.example");
  CHECK(peer.port == 8510);
  CHECK(peer.base_path == "/base/path");
  CHECK(peer.host_field == "bridge.example:8510");
  CHECK(peer.label() == "bridge.example:8510");
}

TEST_CASE("peer url: a default port is left out of Host") {
  CHECK(peer_of("http://a.example").port == 80);
  CHECK(peer_of("http://a.example:80").host_field == "a.example");
  CHECK(peer_of("https://a.example").port == 443);
  CHECK(peer_of("https://a.example:443").host_field == "a.example");
  CHECK(peer_of("https://a.example:80").host_field == "a.example:80");
  CHECK(peer_of("HTTPS://a.example").kind == peer_endpoint::transport::tls);
}

TEST_CASE("peer url: an IPv6 literal keeps its brackets in Host alone") {
  const auto peer = peer_of("http://[::1]:8510");
  CHECK(peer.host == "::1");
  CHECK(peer.host_field == "[::1]:8510");
  CHECK(peer.label() == "[::1]:8510");
  CHECK(peer_of("http://[fd00::2]").host_field == "[fd00::2]");
}

TEST_CASE("peer url: both spellings of a unix socket mean the same path") {
  for (const auto* url : {"unix:/run/bridge.sock", "unix:///run/bridge.sock"}) {
    const auto peer = peer_of(url);
    CHECK(peer.kind == peer_endpoint::transport::unix_socket);
    CHECK(peer.socket_path == "/run/bridge.sock");
    CHECK(peer.host_field == "localhost");
  }
}

TEST_CASE("peer url: what is no peer is refused without quoting it") {
  const std::vector<std::string> urls{"",
                                      "bridge:8510",
                                      "ftp://a.example",
                                      "http://",
                                      "http://u:secret@a.example",
                                      "http://a.example/?secret=1",
                                      "http://a.example/#secret",
                                      "http://a.example:0",
                                      "http://a.example:70000",
                                      "http://a b",
                                      "http://a%0d%0asecret",
                                      "unix:relative",
                                      "unix://host/secret",
                                      "unix:/" + std::string(107, 'a')};
  for (const auto& url : urls) {
    const auto peer = parse_peer_url(url);
    REQUIRE_MESSAGE(!peer, url);
    CHECK(peer.error().code == ec::invalid_argument);
    CHECK(peer.error().context.find("secret") == std::string::npos);
  }
}

TEST_CASE("request head: the whole of it is what HTTP/1.1 wants") {
  auto request = request_to("http://a.example:8510", "/_matrix/x?y=%2F");
  request.method = "PUT";
  request.fields = {{"Authorization", "Bearer t"}, {"X-Empty", ""}};
  request.body = shared_bytes{"{}"};
  CHECK(head_of(request)
        == "PUT /_matrix/x?y=%2F HTTP/1.1\r\n"
           "Host: a.example:8510\r\n"
           "Connection: keep-alive\r\n"
           "Authorization: Bearer t\r\n"
           "X-Empty: \r\n"
           "Content-Length: 2\r\n\r\n");
}

TEST_CASE("request head: base path and target meet in exactly one slash") {
  const auto line = [](std::string url, std::string target) {
    const auto head = head_of(request_to(std::move(url), std::move(target)));
    return head.substr(0, head.find(" HTTP/1.1\r\n"));
  };
  CHECK(line("http://a", "/x") == "GET /x");
  CHECK(line("http://a", "") == "GET /");
  CHECK(line("http://a/", "/x") == "GET /x");
  CHECK(line("http://a/base", "/x") == "GET /base/x");
  CHECK(line("http://a/base/", "/x") == "GET /base/x");
  CHECK(line("http://a/base", "x") == "GET /base/x");
  CHECK(line("http://a/b%2Fc", "/x") == "GET /b%2Fc/x");
  CHECK(line("unix:/run/a", "/x") == "GET /x");
}

TEST_CASE("request head: the target's bytes are sent as they are") {
  for (const auto* target :
       {"/users/%40a%3Ab.c", "/a//b/../c/", "/%zz%", "/?a=b&c=d?e#f",
        "/\xc3\xa4\"<>\\^`{|}\x01\x7f", "//two"})
    CHECK(head_of(request_to("http://a", target))
            .starts_with("GET " + std::string{target} + " HTTP/1.1\r\n"));
}

TEST_CASE("request head: a target that would split the line is refused") {
  using namespace std::string_literals;
  for (const auto& part : {" "s, "\r"s, "\n"s, "\0"s, "\t"s, "\v"s, "\f"s})
    CHECK(is_refused(request_to("http://a", "/x" + part + "y")));
}

TEST_CASE("request head: a field that would add a field is refused") {
  using namespace std::string_literals;
  auto request = request_to("http://a", "/");
  for (const auto& value : {"a\r\nEvil: 1"s, "a\nEvil: 1"s, "a\r"s, "a\0b"s}) {
    request.fields = {{"X-Token", value}};
    const auto head = build_request_head(request, peer_of("http://a"));
    REQUIRE(!head);
    CHECK(head.error().context == "field X-Token holds CR, LF or NUL");
  }
  for (const auto* name : {"", "A B", "A:", "A\r\nB", "A\n"}) {
    request.fields = {{name, "v"}};
    CHECK(is_refused(request));
  }
}

TEST_CASE("request head: a method that is no token is refused") {
  auto request = request_to("http://a", "/");
  for (const auto* method :
       {"", "GET /x HTTP/1.1\r\nEvil: 1\r\n\r\nGET", "G T"})
    CHECK((request.method = method, is_refused(request)));
}

TEST_CASE("request head: only the transport speaks for the connection") {
  auto request = request_to("http://a", "/");
  request.fields
    = {{"HOST", "evil"},           {"content-length", "5"},
       {"Connection", "close"},    {"Expect", "100-continue"},
       {"Upgrade", "websocket"},   {"Transfer-Encoding", "chunked"},
       {"Keep-Alive", "timeout=1"}};
  CHECK(head_of(request)
        == "GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n");
}

TEST_CASE("request head: an empty PUT or POST says its length") {
  auto request = request_to("http://a", "/");
  for (const auto* method : {"PUT", "POST", "PATCH"}) {
    request.method = method;
    CHECK(head_of(request).find("\r\nContent-Length: 0\r\n")
          != std::string::npos);
  }
  for (const auto* method : {"GET", "HEAD", "DELETE"}) {
    request.method = method;
    CHECK(head_of(request).find("Content-Length") == std::string::npos);
  }
}

TEST_CASE("address order: the families take turns, the first one first") {
  using list = std::vector<std::string>;
  CHECK(address_order({}).empty());
  CHECK(address_order({"::1", "::2", "::3", "10.0.0.1", "10.0.0.2"})
        == list{"::1", "10.0.0.1", "::2", "10.0.0.2", "::3"});
  CHECK(address_order({"10.0.0.1", "::1", "::2"})
        == list{"10.0.0.1", "::1", "::2"});
}

TEST_CASE("address order: every address begins in half the deadline") {
  CHECK(address_share(10s, 1) == 250ms);
  CHECK(address_share(10s, 16) == 250ms);
  CHECK(address_share(100ms, 2) == 25ms);
  CHECK(address_share(1s, 10) * 10 <= 500ms);
  CHECK(address_share(1s, 0) == 250ms);
}

TEST_CASE("idle pool: the connection kept last is taken first, for its peer") {
  idle_pool<int> pool{4};
  const auto one = std::make_shared<int>(1);
  const auto two = std::make_shared<int>(2);
  REQUIRE(pool.keep("a", one));
  REQUIRE(pool.keep("a", two));
  CHECK(pool.take("b") == nullptr);
  CHECK(pool.take("a") == two);
  CHECK(pool.take("a") == one);
  CHECK(pool.take("a") == nullptr);
  CHECK(pool.size() == 0);
}

TEST_CASE("idle pool: each peer has its share and no more") {
  idle_pool<int> pool{2};
  CHECK(pool.keep("a", std::make_shared<int>(1)));
  CHECK(pool.keep("a", std::make_shared<int>(2)));
  CHECK(!pool.keep("a", std::make_shared<int>(3)));
  CHECK(pool.keep("b", std::make_shared<int>(4)));
  CHECK(pool.size() == 3);
  idle_pool<int> none{0};
  CHECK(!none.keep("a", std::make_shared<int>(1)));
}

TEST_CASE("idle pool: a dropped connection is handed to nobody") {
  idle_pool<int> pool{2};
  const auto one = std::make_shared<int>(1);
  REQUIRE(pool.keep("a", one));
  CHECK(!pool.drop("b", one.get()));
  CHECK(pool.drop("a", one.get()));
  CHECK(!pool.drop("a", one.get()));
  CHECK(pool.take("a") == nullptr);
}

TEST_CASE("idle pool: the longest idle of all peers makes room") {
  idle_pool<int> pool{2};
  const auto one = std::make_shared<int>(1);
  REQUIRE(pool.keep("b", one));
  REQUIRE(pool.keep("a", std::make_shared<int>(2)));
  CHECK(pool.take_oldest() == one);
  CHECK(pool.take_all().size() == 1);
  CHECK(pool.take_oldest() == nullptr);
}
