#include "http/cli/admin_connection.hpp"

#include "tests/unit/http/server_fixture.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;

namespace {

admin_call call_to(uint16_t port) {
  config settings;
  settings.admin.listen = "127.0.0.1:" + std::to_string(port);
  return connect_admin(settings, "secret");
}

} // namespace

TEST_CASE("admin connection: it shows the token and gives the answer") {
  const listening server{[](const request_head& head) {
    body_wish wish;
    wish.answer = [head](const reply& answer) {
      answer({418,
              {},
              head.method + ' ' + head.target + ' '
                + std::string{find_field(head.fields, "authorization")}});
    };
    return wish;
  }};
  const auto call = call_to(server.port());
  for (int i = 0; i < 2; ++i) {
    const auto answer = call("GET", "/a?b=c");
    REQUIRE(answer);
    CHECK(answer.value().status == 418);
    CHECK(answer.value().body == "GET /a?b=c Bearer secret");
  }
}

TEST_CASE("admin connection: nobody there is an error that says so") {
  uint16_t port = 0;
  {
    const listening gone{echo};
    port = gone.port();
  }
  const auto answer = call_to(port)("GET", "/");
  REQUIRE(!answer);
  CHECK(answer.error().code == ec::unavailable);
  CHECK_FALSE(answer.error().context.empty());
}
