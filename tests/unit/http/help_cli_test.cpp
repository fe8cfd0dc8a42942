#include "http/cli/command_line.hpp"
#include "tests/unit/http/fake_admin.hpp"

#include <doctest/doctest.h>

#include <sstream>

using namespace weir;
using namespace weir::test;

namespace {

using words = std::vector<std::string>;

struct outcome {
  int code = -1;
  std::string out;
  std::string err;
};

outcome run(words given) {
  given.insert(given.begin(), "weir");
  std::vector<const char*> argv;
  for (const auto& word : given)
    argv.push_back(word.c_str());
  std::ostringstream out;
  std::ostringstream err;
  const auto code = run_command_line(static_cast<int>(argv.size()), argv.data(),
                                     {}, out, err);
  return {code, out.str(), err.str()};
}

} // namespace

TEST_CASE("cli: help of a command is what the command says of itself") {
  const std::vector<words> asked{
    {}, {"status"}, {"dead-letters"}, {"trace", "show"}};
  for (const auto& each : asked) {
    CAPTURE(each.size());
    auto first = each;
    first.insert(first.begin(), "help");
    auto last = each;
    last.emplace_back("--help");
    const auto told = run(first);
    CHECK(told.code == 0);
    CHECK_FALSE(told.out.empty());
    CHECK(told.out == run(last).out);
    CHECK(told.err.empty());
  }
  CHECK(has(run({"help"}).out, "explain"));
  CHECK(has(run({"help", "skip"}).out, "pinned in weir explain"));
}

TEST_CASE("cli: help of no command is a wrong use, and a near one is named") {
  const auto wrong = run({"help", "expalin"});
  CHECK(wrong.code == 2);
  CHECK(has(wrong.err, "weir has no command expalin, did you mean explain?"));
}

TEST_CASE("cli: a wrong use is told before a token is looked for") {
  const auto told = run({"dead-letters", "drop", "--config", "/nowhere"});
  CHECK(told.code == 2);
  CHECK(has(told.err, "name them by their ids"));
}

TEST_CASE("cli: an id that is no number is told in words") {
  for (const auto& each :
       {words{"dead-letters", "show", "abc"}, words{"quarantine", "show", "1x"},
        words{"dead-letters", "drop", "0"}, words{"commands", "--before", "-1"},
        words{"queues", "--after", "1.5"}}) {
    CAPTURE(each.back());
    const auto told = run(each);
    CHECK(told.code == 2);
    CHECK(has(told.err, "expected a whole number from "));
    CHECK(has(told.err, " on, not " + each.back() + "\n"));
  }
}

TEST_CASE("cli: the version is a flag, too") {
  CHECK(run({"--version"}).code == 0);
  CHECK(run({"--version"}).out == run({"version"}).out);
}
