#include "http/start_checks.hpp"

#include "persistence/sql/connection.hpp"
#include "persistence/sql/migrate.hpp"
#include "tests/support/test_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <vector>

using namespace weir;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

store_options store_in(const test_folder& folder) {
  return {"sqlite://" + folder.path() + "/weir.db"};
}

expected<store_identity> prepare(const store_options& options) {
  return prepare_store(options, "me", 0ms);
}

/// A store as the first version left it, with a slot of another node.
class old_store {
public:
  explicit old_store(const store_options& options)
    : on_{sql::parse_url(options.url).value(), sql::purpose::migrating, false} {
    std::vector<migration> first;
    for (const auto& each : embedded_migrations())
      if (each.number <= 5)
        first.push_back(each);
    REQUIRE(on_.open());
    REQUIRE(sql::migrate(on_, first));
    run("INSERT INTO slot (slot, owner, epoch, run, beat, pos) "
        "VALUES (1, 'other', 1, 1, 0, 0)");
  }
  void beat() {
    run("UPDATE slot SET beat = beat + 1");
  }
  [[nodiscard]] std::string version() {
    return on_.value("SELECT max(number) FROM schema_version").value();
  }

private:
  void run(const std::string& statement) {
    REQUIRE(on_.script(statement));
  }
  sql::connection on_;
};

} // namespace

TEST_CASE("start checks: a data folder is made for its owner alone") {
  const test_folder folder;
  const auto path = folder.path() + "/a/b";
  REQUIRE(make_data_dir(path));
  CHECK(fs::status(path).permissions() == fs::perms::owner_all);
  fs::permissions(path, fs::perms::owner_all | fs::perms::group_read);
  REQUIRE(make_data_dir(path)); // One that is there is left as it is.
  CHECK(fs::status(path).permissions()
        == (fs::perms::owner_all | fs::perms::group_read));
}

TEST_CASE("start checks: a data folder that cannot be made says which") {
  const test_folder folder;
  folder.write("file", "x");
  const auto made = make_data_dir(folder.path() + "/file/data");
  REQUIRE(!made);
  CHECK(made.error().code == ec::unavailable);
  CHECK(made.error().context.find("/file/data: ") != std::string::npos);
}

TEST_CASE("start checks: a node keeps its name") {
  const test_folder folder, other;
  const auto name = node_name(folder.path()).value();
  CHECK(name.size() == 16);
  CHECK(node_name(folder.path()).value() == name);
  CHECK(node_name(other.path()).value() != name);
}

TEST_CASE("start checks: a store keeps its identity") {
  const test_folder folder;
  const auto first = prepare(store_in(folder)).value();
  const auto again = prepare(store_in(folder)).value();
  CHECK(first.ping_key.size() == 64);
  CHECK(again.ping_key == first.ping_key);
  CHECK(again.store_id == first.store_id);
}

TEST_CASE("start checks: our own slots are taken at once") {
  const test_folder folder;
  const auto options = store_in(folder);
  REQUIRE(prepare(options));
  CHECK(refuse_second_process(options, "me", 1h)); // No slot at all.
  REQUIRE(open_store(options, false).value()->take_slot(1, "me", 1));
  CHECK(refuse_second_process(options, "me", 1h));
}

TEST_CASE("start checks: another node's slot is refused only while it beats") {
  const test_folder folder;
  const auto options = store_in(folder);
  REQUIRE(prepare(options));
  REQUIRE(open_store(options, false).value()->take_slot(1, "other", 1));
  CHECK(refuse_second_process(options, "me", 0ms));
  uint64_t run = 1;
  const auto beats = [&](std::chrono::milliseconds) {
    REQUIRE(open_store(options, false).value()->take_slot(1, "other", ++run));
  };
  const auto refused = refuse_second_process(options, "me", 5s, beats);
  REQUIRE(!refused);
  CHECK(refused.error().code == ec::busy);
}

TEST_CASE("start checks: an older Weir that is alive keeps its tables") {
  const test_folder folder;
  const auto options = store_in(folder);
  old_store older{options};
  const auto beats = [&](std::chrono::milliseconds) { older.beat(); };
  const auto refused = prepare_store(options, "me", 5s, beats);
  REQUIRE(!refused);
  CHECK(refused.error().code == ec::busy);
  CHECK(older.version() == "5");
  CHECK(prepare(options)); // It is dead now.
  CHECK(older.version() != "5");
}
