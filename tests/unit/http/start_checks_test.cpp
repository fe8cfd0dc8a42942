#include "http/start_checks.hpp"

#include "tests/support/test_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace weir;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

store_options store_in(const test_folder& folder) {
  return {"sqlite://" + folder.path() + "/weir.db"};
}

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
  const auto first = prepare_store(store_in(folder)).value();
  const auto again = prepare_store(store_in(folder)).value();
  CHECK(first.ping_key.size() == 64);
  CHECK(again.ping_key == first.ping_key);
  CHECK(again.store_id == first.store_id);
}

TEST_CASE("start checks: our own slots are taken at once") {
  const test_folder folder;
  const auto options = store_in(folder);
  REQUIRE(prepare_store(options));
  CHECK(refuse_second_process(options, "me", 1h)); // No slot at all.
  REQUIRE(open_store(options, false).value()->take_slot(1, "me", 1));
  CHECK(refuse_second_process(options, "me", 1h));
}

TEST_CASE("start checks: another node's slot is refused only while it beats") {
  const test_folder folder;
  const auto options = store_in(folder);
  REQUIRE(prepare_store(options));
  REQUIRE(open_store(options, false).value()->take_slot(1, "other", 1));
  CHECK(refuse_second_process(options, "me", 0ms));
}
