#include "tests/conformance/stores.hpp"

#include <limits>

using namespace weir;
using namespace weir::test;

namespace {

constexpr int64_t newest = std::numeric_limits<int64_t>::max();

command_row command(const std::string& verb) {
  return {0, "appservice/a", verb, "ada \xE2\x80\xA6", noon, "done"};
}

std::vector<std::string> verbs(const std::vector<command_row>& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows)
    names.push_back(row.verb);
  return names;
}

using names = std::vector<std::string>;

} // namespace

TEST_CASE_TEMPLATE("command: a row comes back whole", Where, WEIR_EVERY_STORE) {
  world<Where> on;
  auto row = command("pause");
  on.batch([&] { row.id = must(on.db->commands().record(row)); });
  CHECK(row.id > 0);
  const auto rows = must(on.reader->commands(newest, 10));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0] == row);
}

TEST_CASE_TEMPLATE("command: the newest are read, the newest last", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  for (const std::string verb : {"one", "two", "three"})
    on.batch([&] { must(on.db->commands().record(command(verb))); });
  const auto last = must(on.reader->commands(newest, 2));
  CHECK(verbs(last) == names{"two", "three"});
  CHECK(last[0].id < last[1].id);
  CHECK(verbs(must(on.reader->commands(last[0].id, 2))) == names{"one"});
  CHECK(must(on.reader->commands(0, 2)).empty());
}

TEST_CASE_TEMPLATE("command: the oldest above a bound are forgotten", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  int64_t last = 0;
  on.batch([&] {
    for (const std::string verb : {"one", "two", "three", "four"})
      last = must(on.db->commands().record(command(verb)));
    CHECK(must(on.db->commands().forget_commands(4, 10)) == 0);
    CHECK(must(on.db->commands().forget_commands(1, 2)) == 2);
    CHECK(must(on.db->commands().forget_commands(1, 2)) == 1);
    CHECK(must(on.db->commands().forget_commands(1, 2)) == 0);
  });
  CHECK(verbs(must(on.reader->commands(newest, 9))) == names{"four"});
  on.batch([&] {
    CHECK(must(on.db->commands().forget_commands(0, 9)) == 1);
    // An id means one command for good.
    CHECK(must(on.db->commands().record(command("five"))) > last);
  });
}

TEST_CASE_TEMPLATE("command: nothing survives a rollback", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  on.batch([&] { must(on.db->commands().record(command("kept"))); });
  must(on.db->begin(on.lease, 1));
  must(on.db->commands().record(command("lost")));
  must(on.db->commands().forget_commands(1, 9));
  on.db->rollback();
  CHECK(verbs(must(on.reader->commands(newest, 9))) == names{"kept"});
}

TEST_CASE_TEMPLATE("command: text that not every store keeps is refused", Where,
                   WEIR_EVERY_STORE) {
  world<Where> on;
  const std::string with_nul("a\0b", 3);
  for (auto field : {&command_row::target, &command_row::verb, &command_row::by,
                     &command_row::result}) {
    auto row = command("pause");
    row.*field = with_nul;
    must(on.db->begin(on.lease, 1));
    CHECK(code_of(on.db->commands().record(row)) == ec::rejected);
    on.db->rollback();
  }
}

TEST_CASE_TEMPLATE("command: a halted queue is halted until it is resumed",
                   Where, WEIR_EVERY_STORE) {
  world<Where> on;
  auto row = on.adopted("a");
  CHECK_FALSE(row.halted);
  row.halted = halt{noon, "ada", "the bridge moves \xE2\x80\xA6"};
  on.batch([&] { must(on.db->outbox().save_queue(row)); });
  CHECK(must(on.reader->queue({"a"}))->row == row);
  row.halted->reason.clear();
  on.batch([&] {
    must(on.db->outbox().save_queue(row));
    CHECK(must(on.db->outbox().lock_queue({"a"})) == row);
    row.halted.reset();
    must(on.db->outbox().save_queue(row));
    CHECK(must(on.db->outbox().lock_queue({"a"})) == row);
  });
  row.halted = halt{noon, std::string("a\0b", 3), ""};
  must(on.db->begin(on.lease, 1));
  CHECK(code_of(on.db->outbox().save_queue(row)) == ec::rejected);
  on.db->rollback();
}
