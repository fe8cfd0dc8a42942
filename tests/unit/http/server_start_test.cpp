#include "tests/unit/http/server_fixture.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;
using namespace std::chrono_literals;

namespace {

expected<void> started(const std::string& address) {
  boost::asio::io_context io;
  server_options options;
  options.address = address;
  http_server server{io, std::move(options), echo};
  return server.start();
}

} // namespace

TEST_CASE("server start: an address that is taken is busy") {
  const listening server{echo};
  CHECK(started("127.0.0.1:" + std::to_string(server.port())).error().code
        == ec::busy);
}

TEST_CASE("server start: what is no address says so") {
  for (const std::string address :
       {"", "127.0.0.1", "127.0.0.1:", ":80", "127.0.0.1:x", "127.0.0.1:70000",
        "::1:0", "127.0.0.1:1 ", "no.such.host.invalid:0", "192.0.2.1:0"}) {
    CAPTURE(address);
    const auto result = started(address);
    REQUIRE(!result);
    CHECK(result.error().code == ec::invalid_argument);
  }
}

TEST_CASE("server start: a server that was never started ends quietly") {
  boost::asio::io_context io;
  http_server server{io, quick_options(), echo};
  server.drain(20s);
  server.stop();
  io.run();
  CHECK(server.port() == 0);
  CHECK(server.figures_now().connections == 0);
}
