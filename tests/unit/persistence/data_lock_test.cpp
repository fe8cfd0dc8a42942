#include "persistence/data_lock.hpp"

#include "tests/support/database/sqlite_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

using namespace weir;

TEST_CASE("data_lock: one holder at a time, and the refusal names it") {
  const test::temporary_folder folder;
  {
    const auto first = data_lock::acquire(folder.path());
    REQUIRE(first);
    const auto second = data_lock::acquire(folder.path());
    REQUIRE(!second);
    CHECK(second.error().code == ec::busy);
    CHECK(second.error().context
          == "data folder " + std::string{folder.path()}
            + ": in use by process " + std::to_string(::getpid()));
  }
  CHECK(data_lock::acquire(folder.path()));
}

TEST_CASE("data_lock: the end of its process frees it") {
  const test::temporary_folder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto held = data_lock::acquire(folder.path());
    ::_exit(held ? 0 : 1);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
  CHECK(data_lock::acquire(folder.path()));
}

TEST_CASE("data_lock: it moves with its value") {
  const test::temporary_folder folder;
  auto first = data_lock::acquire(folder.path());
  REQUIRE(first);
  {
    const data_lock moved = std::move(first.value());
    CHECK(!data_lock::acquire(folder.path()));
  }
  CHECK(data_lock::acquire(folder.path()));
}

TEST_CASE("data_lock: the file is its owner's alone") {
  const test::temporary_folder folder;
  const auto held = data_lock::acquire(folder.path());
  REQUIRE(held);
  struct stat found {};
  REQUIRE(::stat((folder.path() / "weir.lock").c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0600);
}

TEST_CASE("data_lock: a missing folder is told as such") {
  const test::temporary_folder folder;
  const auto held = data_lock::acquire(folder.path() / "none");
  REQUIRE(!held);
  CHECK(held.error().code == ec::unavailable);
}
