#include "http/auth.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace weir;

namespace {

request_head asked(std::vector<http_field> fields, std::string query = {}) {
  request_head head;
  head.target = "/transactions/1" + query;
  head.fields = std::move(fields);
  return head;
}

bool passes(const request_head& head, bool query_alone = false) {
  return check_token(read_credentials(head), "s3cret", query_alone).has_value();
}

const http_field right{"authorization", "Bearer s3cret"};

} // namespace

TEST_CASE("auth: the right header passes, its scheme in any case") {
  CHECK(passes(asked({right})));
  CHECK(passes(asked({{"Authorization", "bearer s3cret"}})));
  CHECK(passes(asked({{"Authorization", "BEARER   s3cret"}})));
  CHECK(passes(asked({right}), true));
}

TEST_CASE("auth: no token, a wrong one and a wrong scheme are forbidden") {
  CHECK(!passes(asked({})));
  CHECK(!passes(asked({}), true));
  CHECK(!passes(asked({{"Authorization", "Bearer s3cres"}})));
  CHECK(!passes(asked({{"Authorization", "Bearer s3cret2"}})));
  CHECK(!passes(asked({{"Authorization", "Bearer s3cret x"}})));
  CHECK(!passes(asked({{"Authorization", "Bearer "}})));
  CHECK(!passes(asked({{"Authorization", "Bearer"}})));
  CHECK(!passes(asked({{"Authorization", "Basic s3cret"}})));
  CHECK(!passes(asked({{"Authorization", "s3cret"}})));
  CHECK(check_token({}, "x").error().code == ec::forbidden);
}

TEST_CASE("auth: an empty configured token lets nobody in") {
  CHECK(!check_token({}, "", true));
  CHECK(!check_token(read_credentials(asked({}, "?access_token=")), "", true));
  CHECK(!check_token({"", std::nullopt, false}, ""));
}

TEST_CASE("auth: a query token alone passes only for a legacy homeserver") {
  const auto head = asked({}, "?a=b&access_token=s3cret");
  CHECK(!passes(head));
  CHECK(passes(head, true));
  CHECK(!passes(asked({}, "?access_token=other"), true));
  CHECK(passes(asked({}, "?access_token=s3%63ret"), true));
  CHECK(passes(asked({}, "?access%5Ftoken=s3cret"), true));
}

TEST_CASE("auth: header and query must both be right when both came") {
  CHECK(passes(asked({right}, "?access_token=s3cret")));
  CHECK(!passes(asked({right}, "?access_token=other")));
  CHECK(!passes(asked({right}, "?access_token=other"), true));
  CHECK(!passes(asked({right}, "?access_token=")));
  CHECK(!passes(asked({right}, "?access_token")));
  CHECK(!passes(
    asked({{"Authorization", "Bearer other"}}, "?access_token=s3cret"), true));
  CHECK(!passes(asked({{"Authorization", "Basic x"}}, "?access_token=s3cret"),
                true));
}

TEST_CASE("auth: two headers or two different query tokens are forbidden") {
  CHECK(!passes(asked({right, right})));
  CHECK(!passes(asked({{"Authorization", "Basic x"}, right})));
  CHECK(!passes(asked({}, "?access_token=x&access_token=s3cret"), true));
  CHECK(passes(asked({}, "?access_token=s3cret&access_token=s3cret"), true));
}

TEST_CASE("auth: at the root the token tells the appservice") {
  const std::array<token_candidate, 3> candidates{
    {{"one", false}, {"two", true}, {"three", false}}};
  const auto found = [&](const request_head& head) {
    return find_by_token(read_credentials(head), candidates);
  };
  CHECK(found(asked({{"Authorization", "Bearer one"}})).value() == 0);
  CHECK(found(asked({{"Authorization", "Bearer three"}})).value() == 2);
  CHECK(found(asked({}, "?access_token=two")).value() == 1);
  CHECK(!found(asked({}, "?access_token=three")));
  CHECK(found(asked({})).error().code == ec::forbidden);
  CHECK(!find_by_token(read_credentials(asked({right})), {}));
}

TEST_CASE("auth: stripping a query keeps every other byte") {
  CHECK(strip_access_token("access_token=x") == "");
  CHECK(strip_access_token("a=%41&access_token=x&b") == "a=%41&b");
  CHECK(strip_access_token("access_token=x&a=1&access_token=y") == "a=1");
  CHECK(strip_access_token("&&a=1&") == "&&a=1&");
  CHECK(strip_access_token("xaccess_token=1&access_tokenx=2")
        == "xaccess_token=1&access_tokenx=2");
  CHECK(strip_access_token("access%5ftoken=x&a") == "a");
  CHECK(strip_access_token("access_token") == "");
  CHECK(strip_access_token("") == "");
}

TEST_CASE("auth: a stripped target keeps a bare '?' and loses an empty query") {
  CHECK(strip_target("/a?access_token=x") == "/a");
  CHECK(strip_target("/a?") == "/a?");
  CHECK(strip_target("/a") == "/a");
  CHECK(strip_target("/a?b=%2F&access_token=x") == "/a?b=%2F");
  CHECK(strip_target("/a?b?access_token=x") == "/a?b?access_token=x");
}
