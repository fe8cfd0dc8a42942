#include "http/own_pings.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace weir;

namespace {

const own_pings pings{"a key"};
const appservice_id irc{"irc"};

std::string body_with(const std::string& id) {
  return nlohmann::json{{"transaction_id", id}}.dump();
}

} // namespace

TEST_CASE("own pings: one that was made is known again, by any node") {
  const auto id = pings.make_id(irc);
  CHECK(pings.is_own(irc, body_with(id)));
  CHECK(own_pings{"a key"}.is_own(irc, body_with(id)));
  CHECK(pings.make_id(irc) != id);
}

TEST_CASE("own pings: those of others are not taken for ours") {
  const auto id = pings.make_id(irc);
  CHECK_FALSE(pings.is_own({"other"}, body_with(id)));
  CHECK_FALSE(own_pings{"another key"}.is_own(irc, body_with(id)));
  auto forged = id;
  forged.back() = forged.back() == '0' ? '1' : '0';
  CHECK_FALSE(pings.is_own(irc, body_with(forged)));
  CHECK_FALSE(pings.is_own(irc, body_with(id + "0")));
  CHECK_FALSE(pings.is_own(irc, body_with(id.substr(0, id.size() - 1))));
}

TEST_CASE("own pings: a body of any shape is the bridge's") {
  for (const std::string body :
       {"", "{}", "[]", "null", "{\"transaction_id\":1}",
        "{\"transaction_id\":null}", "{\"transaction_id\":\"\"}",
        "{\"transaction_id\":\"weir-\"}", "{\"transaction_id\":\"x\"", "\xFF"})
    CHECK_FALSE(pings.is_own(irc, body));
}

TEST_CASE("own pings: a body of any size was once parsed, and now a small one "
          "alone") {
  const auto id = pings.make_id(irc);
  const auto with_padding
    = [&](size_t bytes) { return body_with(id) + std::string(bytes, ' '); };
  CHECK(pings.is_own(irc, with_padding(1'000)));
  CHECK_FALSE(pings.is_own(irc, with_padding(4'096)));
  CHECK_FALSE(pings.is_own(irc, with_padding(size_t{64} << 20)));
}

TEST_CASE("own pings: the homeserver is asked as the appservice") {
  const auto request
    = pings.request({"a/b c"}, {"http://hs", "ca.pem"}, "secret");
  CHECK(request.method == "POST");
  CHECK(request.peer.url == "http://hs");
  CHECK(request.peer.ca_file == "ca.pem");
  CHECK(request.target == "/_matrix/client/v1/appservice/a%2Fb%20c/ping");
  CHECK(find_field(request.fields, "authorization") == "Bearer secret");
  CHECK(find_field(request.fields, "content-type") == "application/json");
  CHECK(pings.is_own({"a/b c"}, request.body.view()));
}
