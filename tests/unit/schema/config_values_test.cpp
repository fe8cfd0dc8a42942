#include "tests/support/config_samples.hpp"

#include <fmt/core.h>

using namespace weir;
using namespace weir::config_samples;

TEST_CASE("config: durations and sizes have bounds, units and no rest") {
  const auto drain = [](const std::string& text) {
    return problems_with(fmt::format("drain: {{timeout: {}}}\n", text)).empty();
  };
  CHECK(drain("0s"));
  CHECK(drain("600s"));
  CHECK(drain("10m"));
  CHECK(drain("'20s'"));
  CHECK_FALSE(drain("601s"));
  CHECK_FALSE(drain("20"));
  CHECK_FALSE(drain("1.5s"));
  CHECK_FALSE(drain("-1s"));
  CHECK_FALSE(drain("1s2"));
  CHECK_FALSE(drain("99999999999999999999d"));
  CHECK_FALSE(drain("9223372036854775807d"));
  const auto body = [](const std::string& text) {
    return problems_with(
             fmt::format("listener: {{body_bytes_max: {}}}\n", text))
      .empty();
  };
  CHECK(body("1048576"));
  CHECK(body("64MiB"));
  CHECK(body("2MB"));
  CHECK(body("512MiB"));
  CHECK_FALSE(body("1048575"));
  CHECK_FALSE(body("513MiB"));
  CHECK_FALSE(body("64 MiB"));
  CHECK_FALSE(body("64M"));
}

TEST_CASE("config: addresses, names and URLs are checked") {
  const auto listen = [](const std::string& text) {
    return problems_with(
             fmt::format("public_url: http://h\nlisten: '{}'\n", text))
      .empty();
  };
  CHECK(listen("0.0.0.0:1"));
  CHECK(listen("[::]:0"));
  CHECK_FALSE(listen("localhost:8009"));
  CHECK_FALSE(listen("127.0.0.1"));
  CHECK_FALSE(listen("127.0.0.1:65536"));
  CHECK_FALSE(listen("::1:8009"));
  CHECK_FALSE(listen("127.0.0.1:80x"));
  const auto homeserver = [](const std::string& name, const std::string& url) {
    return problems_of(
      parse(fmt::format("homeserver: {{name: '{}', url: '{}'}}\n", name, url)));
  };
  CHECK(homeserver("localhost:80", "http://h").empty());
  CHECK(homeserver("[::1]:80", "http://[::1]:80/x").empty());
  CHECK(homeserver("a b", "http://h").size() == 1);
  CHECK(homeserver("", "http://h").size() == 1);
  CHECK(homeserver("a:b", "http://h").size() == 1);
  CHECK(homeserver("a", "http://u:p@h")
        == lines{"f:1: homeserver.url: expected a URL without user name and "
                 "password"});
  CHECK(homeserver("a", "http://h?x").size() == 1);
  CHECK(homeserver("a", "http://h#x").size() == 1);
  CHECK(homeserver("a", "ftp://h").size() == 1);
  CHECK(homeserver("a", "http://").size() == 1);
  CHECK(homeserver("a", "http://h:0").size() == 1);
  CHECK(homeserver("a", "http://h:99999").size() == 1);
  CHECK(homeserver("a", "unix:x").size() == 1);
  CHECK(problems_with("public_url: unix:/x\n").size() == 1);
  const auto storage = [](const std::string& url) {
    return problems_with(fmt::format("storage: {{url: '{}'}}\n", url)).empty();
  };
  CHECK(storage("sqlite:///a/b.db"));
  CHECK(storage("postgresql:///weir?host=/run/postgresql"));
  CHECK_FALSE(storage("sqlite://b.db"));
  CHECK_FALSE(storage("sqlite:///b/"));
  CHECK_FALSE(storage("postgresql://host"));
  CHECK_FALSE(storage("mysql://h/weir"));
}
