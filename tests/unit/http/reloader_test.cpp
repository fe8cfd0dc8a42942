#include "http/reloader.hpp"

#include "tests/support/test_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace weir;

namespace {

using ids = std::vector<std::string>;

/// A configuration with the bridge `irc` that is in force, and what was handed
/// over since.
class running : public test_folder {
public:
  running() {
    bridge("irc");
    configure("");
  }

  void bridge(const std::string& id, const std::string& token = "hs") const {
    write(id + ".reg.yaml",
          "id: " + id + "\nurl: http://127.0.0.1:1\nas_token: as-" + id
            + "\nhs_token: " + token + "-" + id
            + "\nsender_localpart: b\nnamespaces: {}\n");
  }
  void configure(const std::string& more,
                 const std::string& of_appservices = {}) const {
    write("weir.yaml",
          "homeserver: {name: example.org, url: 'http://h'}\n"
          "storage: {url: 'sqlite://"
            + path() + "/weir.db'}\nappservices: {registrations: '" + path()
            + "/*.reg.yaml'" + of_appservices + "}\n" + more);
  }
  reload_report reload() {
    return reloader_.reload();
  }
  [[nodiscard]] ids in_force() const {
    ids result;
    for (const auto& one : reloader_.in_force()->registrations)
      result.push_back(one.id.value);
    return result;
  }
  size_t applied = 0;

private:
  static std::shared_ptr<const loaded_setup> loaded(const std::string& file) {
    auto setup = std::make_shared<const loaded_setup>(
      load_setup(file, documents::forget));
    REQUIRE(setup->problems.empty());
    return setup;
  }
  reloader reloader_{[this] {
                       bridge("irc");
                       configure("");
                       return loaded(path() + "/weir.yaml");
                     }(),
                     [this](const loaded_setup&) { ++applied; }};
};

} // namespace

TEST_CASE("reloader: files that did not change hand nothing over") {
  running on;
  const auto report = on.reload();
  CHECK(report.applied);
  CHECK_FALSE(report.changes.any());
  CHECK(on.applied == 0);
}

TEST_CASE("reloader: how long removed ones are kept is handed over") {
  running on;
  on.configure("", ", keep_removed: 2d");
  CHECK(on.reload().applied);
  CHECK(on.applied == 1);
  CHECK(on.reload().applied);
  CHECK(on.applied == 1);
}

TEST_CASE("reloader: bridges that come, change and go are handed over") {
  running on;
  on.bridge("slack");
  CHECK(on.reload().changes.added == ids{"slack"});
  on.bridge("irc", "new");
  CHECK(on.reload().changes.changed == ids{"irc"});
  std::filesystem::remove(on.path() + "/irc.reg.yaml");
  CHECK(on.reload().changes.removed == ids{"irc"});
  CHECK(on.applied == 3);
  CHECK(on.in_force() == ids{"slack"});
}

TEST_CASE("reloader: a file that is wrong, empty, huge, unreadable or cyclic "
          "changes nothing and is named") {
  running on;
  on.bridge("slack");
  std::string text;
  SUBCASE("wrong") {
    text = "id: [";
  }
  SUBCASE("empty") {
    text = "";
  }
  SUBCASE("huge") {
    text = "a: '" + std::string(registration_bytes_max, 'x') + "'\n";
  }
  SUBCASE("cyclic") {
    text = "a: &a [*a]\n";
  }
  SUBCASE("twice the same id") {
    text = "id: irc\nurl: null\nas_token: z\nhs_token: y\n"
           "sender_localpart: b\nnamespaces: {}\n";
  }
  on.write("odd.reg.yaml", text);
  SUBCASE("a folder") {
    std::filesystem::remove(on.path() + "/odd.reg.yaml");
    std::filesystem::create_directory(on.path() + "/odd.reg.yaml");
  }
  SUBCASE("a link to itself") {
    std::filesystem::remove(on.path() + "/odd.reg.yaml");
    std::filesystem::create_symlink(on.path() + "/odd.reg.yaml",
                                    on.path() + "/odd.reg.yaml");
  }
  const auto report = on.reload();
  CHECK_FALSE(report.applied);
  REQUIRE_FALSE(report.problems.empty());
  CHECK(to_string(report.problems.front()).find("odd.reg.yaml")
        != std::string::npos);
  CHECK(on.applied == 0);
  CHECK(on.in_force() == ids{"irc"});
  // Mended, it is taken.
  std::filesystem::remove(on.path() + "/odd.reg.yaml");
  CHECK(on.reload().changes.added == ids{"slack"});
}

TEST_CASE(
  "reloader: a configuration that is gone, or names no bridge any more, "
  "changes nothing") {
  running on;
  SUBCASE("gone") {
    std::filesystem::remove(on.path() + "/weir.yaml");
  }
  SUBCASE("no bridge") {
    std::filesystem::remove(on.path() + "/irc.reg.yaml");
  }
  const auto report = on.reload();
  CHECK_FALSE(report.applied);
  CHECK_FALSE(report.problems.empty());
  CHECK(on.in_force() == ids{"irc"});
}

TEST_CASE("reloader: what waits for a restart is named each time") {
  running on;
  on.configure("drain: {timeout: 3s}\n");
  CHECK(on.reload().changes.need_restart == ids{"drain"});
  CHECK(on.reload().changes.need_restart == ids{"drain"});
  CHECK(on.applied == 0);
}
