#include "schema/config_files.hpp"
#include "schema/limits.hpp"
#include "schema/token_keys.hpp"
#include "tests/support/test_folder.hpp"
#include "tests/support/token_samples.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

using namespace weir;
using namespace weir::test;

namespace {

ec code_of(const expected<token_keys>& ring) {
  return ring ? ec::none : ring.error().code;
}

} // namespace

TEST_CASE("token keys: the first signs and all are found") {
  const auto ring = token_keys::parse("# 3 is to come\n\n" + new_key_line
                                      + old_key_line + "  \n");
  REQUIRE(ring);
  CHECK(ring.value().current().id == 2);
  CHECK(ring.value().current().secret == std::string(32, '\xbb'));
  REQUIRE(ring.value().find(1) != nullptr);
  CHECK(ring.value().find(1)->secret == std::string(32, '\xaa'));
  CHECK(ring.value().find(3) == nullptr);
}

TEST_CASE("token keys: a ring that is none is refused with its line") {
  const std::string hex(64, 'c');
  for (const auto& line :
       {"0 " + hex, "-1 " + hex, "x " + hex, hex, std::string{"2"},
        std::string{"2 "}, "2 " + hex.substr(1), "2 " + hex + "c",
        "2 " + hex.substr(1) + "g", "4294967296 " + hex, "1 " + hex,
        "2 " + hex + " current"}) {
    const auto ring = token_keys::parse(old_key_line + line);
    CAPTURE(line);
    REQUIRE(code_of(ring) == ec::invalid_argument);
    CHECK(ring.error().context.find("line 2") != std::string::npos);
    CHECK(ring.error().context.find("cccc") == std::string::npos);
  }
  CHECK(code_of(token_keys::parse("")) == ec::invalid_argument);
  CHECK(code_of(token_keys::parse("# none\n")) == ec::invalid_argument);
}

TEST_CASE("token keys: there are so many and no more") {
  std::string lines;
  for (size_t id = 1; id <= limits::token_keys_max; ++id)
    lines += std::to_string(id) + " " + std::string(64, 'd') + "\n";
  CHECK(token_keys::parse(lines));
  CHECK(code_of(token_keys::parse(lines + "99 " + std::string(64, 'd')))
        == ec::invalid_argument);
}

TEST_CASE("token keys: a first start makes one, for its owner only") {
  const test_folder folder;
  const auto path = folder.path() + "/token.keys";
  CHECK(code_of(read_token_keys(path)) == ec::not_found);
  const auto made = ensure_token_keys(path);
  REQUIRE(made);
  CHECK(made.value().current().id == 1);
  struct stat found {};
  REQUIRE(::stat(path.c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0600);
  const auto again = ensure_token_keys(path);
  REQUIRE(again);
  CHECK(again.value().current().secret == made.value().current().secret);
  const auto other = ensure_token_keys(folder.path() + "/other.keys");
  REQUIRE(other);
  CHECK(other.value().current().secret != made.value().current().secret);
}

TEST_CASE("token keys: a file that others may read is refused") {
  const test_folder folder;
  const auto open = folder.write("open", old_key_line, 0644);
  CHECK(code_of(read_token_keys(open)) == ec::forbidden);
  CHECK(code_of(ensure_token_keys(open)) == ec::forbidden);
  CHECK(code_of(read_token_keys(folder.write("group", old_key_line, 0640)))
        == ec::none);
}

TEST_CASE("token keys: a file that is no ring is refused and left alone") {
  const test_folder folder;
  const auto path = folder.write("wrong", "secret\n", 0600);
  const auto ring = ensure_token_keys(path);
  REQUIRE(code_of(ring) == ec::invalid_argument);
  CHECK(ring.error().context.starts_with(path));
  CHECK(read_file(path, 100).value().bytes == "secret\n");
}

TEST_CASE("token keys: a file that is there is not made anew") {
  const test_folder folder;
  const auto path = folder.path() + "/one";
  CHECK(make_private_file(path, "first"));
  CHECK(make_private_file(path, "second"));
  CHECK(read_file(path, 100).value().bytes == "first");
  CHECK(!make_private_file(folder.path() + "/none/one", "first"));
}
