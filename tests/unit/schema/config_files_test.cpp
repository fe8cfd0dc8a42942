#include "schema/config_files.hpp"
#include "tests/support/config_samples.hpp"
#include "tests/support/test_folder.hpp"

using namespace weir;
using namespace weir::config_samples;

TEST_CASE("config: token files are read, trimmed and kept from others") {
  const test_folder folder;
  folder.write("good", " secret\n\n");
  folder.write("open", "secret\n", 0604);
  folder.write("empty", "\n");
  const auto with = [&](const std::string& file) {
    return parse_config(folder.path() + "/weir.yaml",
                        "homeserver: {name: a, url: 'http://h', "
                        "as_token_file: "
                          + file + "}\n");
  };
  CHECK(with("good").problems.empty());
  CHECK(with("good").settings.homeserver.as_token == "secret");
  REQUIRE(with("open").problems.size() == 1);
  CHECK(with("open").problems[0].what.find("others may read")
        != std::string::npos);
  CHECK(with("empty").problems.size() == 1);
  CHECK(with("missing").problems.size() == 1);
  CHECK(with(".").problems.size() == 1);
}

TEST_CASE("config: an admin token file may be absent but not open to others") {
  const test_folder folder;
  const auto with = [&](const std::string& file) {
    return parse_config(folder.path() + "/weir.yaml",
                        minimal + "admin: {token_file: " + file + "}\n")
      .problems.size();
  };
  CHECK(with("absent") == 0);
  folder.write("open", "secret", 0644);
  CHECK(with("open") == 1);
}

TEST_CASE("config: a file with secrets that others may read is a warning") {
  const test_folder folder;
  const auto text = "homeserver: {name: e.org, url: 'http://h', as_token_file: "
    + folder.write("token", "t\n") + "}\n"
    + "producers: [{name: a, token: b, realms: [c]}]\n";
  CHECK(load_config(folder.write("a", text, 0644)).warnings.size() == 1);
  CHECK(load_config(folder.write("b", text, 0640)).warnings.empty());
  CHECK(load_config(folder.write("c", minimal, 0644)).warnings.empty());
}

TEST_CASE("config: a file that cannot be read is a problem of the whole file") {
  const test_folder folder;
  const auto loaded = load_config(folder.path() + "/none.yaml");
  REQUIRE(loaded.problems.size() == 1);
  CHECK(loaded.problems[0].line == 0);
  CHECK(load_config(folder.path()).problems.size() == 1);
}

TEST_CASE("config: a made token file is private, and kept when it is there") {
  const test_folder folder;
  const auto path = folder.path() + "/admin.token";
  const auto made = ensure_token_file(path);
  REQUIRE(made.has_value());
  CHECK(made.value().size() == 64);
  CHECK(folder.mode("admin.token") == 0600);
  const auto again = ensure_token_file(path);
  REQUIRE(again.has_value());
  CHECK(again.value() == made.value());
  CHECK(folder.files() == 1);
}
