#include "http/router.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace weir;

namespace {

struct row {
  std::string target;
  route_kind kind;
  std::string appservice;
  std::string txn;
  std::string forward;
};

void check_rows(std::string_view method, const std::vector<row>& rows) {
  for (const auto& want : rows) {
    CAPTURE(want.target);
    const auto got = classify(method, want.target);
    CHECK(got.kind == want.kind);
    CHECK(got.method_fits);
    CHECK(got.by_id == !want.appservice.empty());
    CHECK(got.appservice == want.appservice);
    CHECK(got.txn == want.txn);
    CHECK(got.forward == want.forward);
  }
}

constexpr auto transaction = route_kind::transaction;
constexpr auto proxied = route_kind::proxied;
constexpr auto ping = route_kind::ping;

} // namespace

TEST_CASE("router: a transaction ends here under every spelling") {
  check_rows("PUT",
             {{"/_weir/as/irc/_matrix/app/v1/transactions/7", transaction,
               "irc", "7", "/_matrix/app/v1/transactions/7"},
              {"/_weir/as/irc/transactions/7", transaction, "irc", "7",
               "/transactions/7"},
              {"/_weir/as/irc/_matrix/app/unstable/transactions/7", transaction,
               "irc", "7", "/_matrix/app/unstable/transactions/7"},
              {"/_matrix/app/v1/transactions/7", transaction, "", "7",
               "/_matrix/app/v1/transactions/7"},
              {"/transactions/7", transaction, "", "7", "/transactions/7"}});
}

TEST_CASE(
  "router: a transaction id may be escaped, hold slashes or end in '?'") {
  check_rows(
    "PUT",
    {{"/transactions/a%2Fb%20c", transaction, "", "a/b c",
      "/transactions/a%2Fb%20c"},
     {"/transactions/a/b", transaction, "", "a/b", "/transactions/a/b"},
     {"/transactions/7?", transaction, "", "7", "/transactions/7?"},
     {"/transactions/7?access_token=x", transaction, "", "7",
      "/transactions/7?access_token=x"},
     {"/transactions/7/", transaction, "", "7/", "/transactions/7/"},
     {"/transactions/50%", transaction, "", "50%", "/transactions/50%"}});
}

TEST_CASE("router: a transaction id that no database keeps stays escaped") {
  CHECK(classify("PUT", "/transactions/a%00b").txn == "a%00b");
  CHECK(classify("PUT", "/transactions/a%FFb").txn == "a%FFb");
  CHECK(classify("PUT", "/transactions/a\xFFz").txn == "a%FFz");
  CHECK(classify("PUT", "/transactions/%C0%AF").txn == "%C0%AF");
  CHECK(classify("PUT", "/transactions/%ED%A0%80").txn == "%ED%A0%80");
  CHECK(classify("PUT", "/transactions/%F4%90%80%80").txn == "%F4%90%80%80");
  CHECK(classify("PUT", "/transactions/%C3%A9").txn == "\xC3\xA9");
  CHECK(classify("PUT", "/transactions/%F0%9F%90%9F").txn
        == "\xF0\x9F\x90\x9F");
}

TEST_CASE("router: an appservice id is one segment and is decoded") {
  check_rows("PUT",
             {{"/_weir/as/a%2Fb%40c/transactions/1", transaction, "a/b@c", "1",
               "/transactions/1"},
              {"/_weir/as/t%C3%A9l%C3%A9/transactions/1", transaction,
               "t\xC3\xA9l\xC3\xA9", "1", "/transactions/1"}});
  CHECK(classify("PUT", "/_weir/as/a/b/transactions/1").kind
        == route_kind::unknown);
  CHECK(classify("PUT", "/_weir/as/").kind == route_kind::unknown);
  CHECK(classify("PUT", "/_weir/as/irc").kind == route_kind::unknown);
}

TEST_CASE("router: doubled slashes of a base path with a trailing slash pass") {
  check_rows("PUT",
             {{"/_weir/as/irc//_matrix/app/v1/transactions/7", transaction,
               "irc", "7", "/_matrix/app/v1/transactions/7"},
              {"//_weir//as//irc//transactions/7", transaction, "irc", "7",
               "/transactions/7"},
              {"//transactions/7", transaction, "", "7", "/transactions/7"},
              {"/_matrix/app/v1//transactions/7", transaction, "", "7",
               "/_matrix/app/v1//transactions/7"},
              {"/transactions//7", transaction, "", "/7", "/transactions//7"}});
}

TEST_CASE("router: what is no transaction is passed on with its raw bytes") {
  check_rows(
    "GET",
    {{"/_weir/as/irc/_matrix/app/v1/users/%40a%3Ab/c//d?x=%41&y", proxied,
      "irc", "", "/_matrix/app/v1/users/%40a%3Ab/c//d?x=%41&y"},
     {"/_weir/as/irc/users/@a:b", proxied, "irc", "", "/users/@a:b"},
     {"/rooms/%23a%3Ab/", proxied, "", "", "/rooms/%23a%3Ab/"},
     {"/_matrix/app/v1/rooms/%23a%3Ab", proxied, "", "",
      "/_matrix/app/v1/rooms/%23a%3Ab"},
     {"/_matrix/app/v1/thirdparty/protocol/irc?", proxied, "", "",
      "/_matrix/app/v1/thirdparty/protocol/irc?"},
     {"/_matrix/app/unstable/thirdparty/user?userid=%40a", proxied, "", "",
      "/_matrix/app/unstable/thirdparty/user?userid=%40a"},
     {"/_matrix/app/com.beeper.bridge_state", proxied, "", "",
      "/_matrix/app/com.beeper.bridge_state"},
     {"/_matrix/app/v2/transactions/1", proxied, "", "",
      "/_matrix/app/v2/transactions/1"},
     {"/_matrix/app/v1/transactionsx/1", proxied, "", "",
      "/_matrix/app/v1/transactionsx/1"},
     {"/_matrix/app/v1/users", proxied, "", "", "/_matrix/app/v1/users"}});
  check_rows(
    "POST",
    {{"/_matrix/app/v1/ping", ping, "", "", "/_matrix/app/v1/ping"},
     {"/_matrix/app/unstable/fi.mau.msc2659/ping", ping, "", "",
      "/_matrix/app/unstable/fi.mau.msc2659/ping"},
     {"/_matrix/app/v1/ping/x", proxied, "", "", "/_matrix/app/v1/ping/x"},
     {"/_matrix/app/unstable/org.matrix.msc3983/keys/claim", proxied, "", "",
      "/_matrix/app/unstable/org.matrix.msc3983/keys/claim"},
     {"/_matrix/app/unstable/org.matrix.msc3984/keys/query", proxied, "", "",
      "/_matrix/app/unstable/org.matrix.msc3984/keys/query"}});
}

TEST_CASE("router: a known path with another method says which ones fit") {
  const auto refused = [](std::string_view method, std::string_view target) {
    const auto got = classify(method, target);
    CHECK(!got.method_fits);
    return std::string{got.allow};
  };
  CHECK(refused("POST", "/_matrix/app/v1/transactions/1") == "PUT");
  CHECK(refused("GET", "/_weir/as/irc/transactions/1") == "PUT");
  CHECK(refused("put", "/transactions/1") == "PUT");
  CHECK(refused("GET", "/_matrix/app/v1/ping") == "POST");
  CHECK(refused("PUT", "/_matrix/app/v1/users/@a:b") == "GET");
  CHECK(refused("POST", "/rooms/x") == "GET");
  CHECK(refused("DELETE", "/_matrix/app/v1/thirdparty/user") == "GET");
  CHECK(refused("GET", "/_matrix/app/unstable/org.matrix.msc3983/keys/claim")
        == "POST");
  CHECK(refused("POST", "/health") == "GET, HEAD");
  CHECK(classify("DELETE", "/_matrix/app/v9/anything").method_fits);
}

TEST_CASE("router: health and ready are Weir's own, with any query") {
  CHECK(classify("GET", "/health").kind == route_kind::health);
  CHECK(classify("HEAD", "/ready?x").kind == route_kind::ready);
  CHECK(classify("HEAD", "/ready").method_fits);
  CHECK(classify("GET", "/_weir/as/irc/health").kind == route_kind::unknown);
}

TEST_CASE("router: every other path is unknown") {
  for (const std::string_view target : {"/",
                                        "",
                                        "*",
                                        "/_matrix",
                                        "/_matrix/app",
                                        "/_matrix/app/",
                                        "/_matrix/client/v3/sync",
                                        "/transactions",
                                        "/transactions/",
                                        "/users/",
                                        "/usersx/1",
                                        "/_weir",
                                        "/_weir/as//",
                                        "/_weir/as/irc/",
                                        "/_weir/as/irc/x",
                                        "/_weir/admin/v1/queues",
                                        "/_matrix/app/v1/transactions",
                                        "/_matrix/app/v1/transactions/?x",
                                        "/healthy",
                                        "transactions/1",
                                        "?transactions/1"}) {
    CAPTURE(target);
    CHECK(classify("PUT", target) == route{});
  }
}
