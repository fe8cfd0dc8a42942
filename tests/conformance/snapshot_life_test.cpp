#include "tests/conformance/token_world.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

// How a snapshot ends, and what must not be done with it.

using namespace weir;
using namespace weir::test;

namespace {

using client = feed_client;

} // namespace

TEST_CASE("snapshot: without a database there is none") {
  on_memory where;
  auto reader = where.connect_reader();
  where.database.set_away(true);
  CHECK(code_of(snapshot_opener::attempt<outcome_feed>(*reader, {}))
        == ec::unavailable);
}

TEST_CASE("snapshot: a connection that was lost is made anew") {
  on_postgresql where;
  auto writer = writer_on(where, 1, first_run);
  auto reader = where.connect_reader();
  writer.write();
  CHECK(client::read(*reader, {}).rows.size() == 1);
  where.database.end_connections();
  CHECK(client::read(*reader, {}).rows.size() == 1);
}

TEST_CASE("snapshot: one that is lost is no other's to go on with") {
  on_postgresql where;
  auto writer = writer_on(where, 1, first_run);
  auto reader = where.connect_reader();
  writer.write();
  {
    const auto open = client::opened(*reader, {});
    where.database.end_connections();
    CHECK(code_of(outcome_feed::read(open, 10)) == ec::unavailable);
  }
  CHECK(client::read(*reader, {}).rows.size() == 1);
}

namespace {

/// Whether `work` ends a process by a broken assertion.
template <class Work>
bool dies(Work work) {
  const pid_t child = ::fork();
  if (child == 0) {
    // It is meant to, so neither doctest nor the assertion has to say so.
    ::signal(SIGABRT, SIG_DFL);
    ::close(STDERR_FILENO);
    work();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

} // namespace

TEST_CASE("snapshot: one that was moved from is not used") {
  on_memory where;
  auto writer = writer_on(where, 1, first_run);
  auto reader = where.connect_reader();
  writer.write();
  auto open = client::opened(*reader, {});
  CHECK(!dies([&] { client::page_of(open, 1); }));
  const auto other = std::move(open);
  // NOLINTNEXTLINE(bugprone-use-after-move): that is what is tried.
  CHECK(dies([&] { static_cast<void>(outcome_feed::read(open, 1)); }));
  CHECK(client::page_of(other, 1).rows.size() == 1);
}

TEST_CASE("snapshot: a page of another one makes no token") {
  on_memory where;
  auto writer = writer_on(where, 1, first_run);
  auto reader = where.connect_reader();
  writer.write();
  const auto before = client::opened(*reader, {});
  const auto page = must(outcome_feed::read(before, 1));
  writer.write();
  const auto after = client::opened(*reader, {});
  CHECK(!dies([&] { static_cast<void>(before.token_after(page)); }));
  CHECK(dies([&] { static_cast<void>(after.token_after(page)); }));
}
