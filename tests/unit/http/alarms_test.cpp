#include "http/cli/command_line.hpp"

#include "tests/support/source_dir.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace weir;

namespace {

/// The words of a command up to what stands for something else.
std::vector<std::string> command_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream from{text};
  for (std::string word; from >> word;) {
    if (!std::regex_match(word, std::regex{"[a-z]+(-[a-z]+)*"}))
      break;
    words.push_back(word);
  }
  return words;
}

/// What stands in backquotes, or in a line of its own, and begins with weir.
std::set<std::vector<std::string>> commands_in(const std::string& file) {
  std::ifstream from{test::source_dir() + file};
  const std::string text{std::istreambuf_iterator<char>{from}, {}};
  const std::regex command{"(?:`|\n)(weir [^`\n]*)"};
  std::set<std::vector<std::string>> found;
  for (std::sregex_iterator each{text.begin(), text.end(), command}, end;
       each != end; ++each)
    found.insert(command_of((*each)[1]));
  return found;
}

} // namespace

TEST_CASE("alarms: every command that a page names is there") {
  const auto commands = commands_in("/docs/alarms.md");
  CHECK(commands.size() > 10);
  for (auto words : commands) {
    std::string usage = "Usage: ";
    for (const auto& word : words)
      usage += word + ' ';
    CAPTURE(usage);
    words.emplace_back("--help");
    std::vector<const char*> argv;
    for (const auto& word : words)
      argv.push_back(word.c_str());
    std::ostringstream out;
    std::ostringstream err;
    CHECK(
      run_command_line(static_cast<int>(argv.size()), argv.data(), {}, out, err)
      == 0);
    CHECK(out.str().find(usage + '[') != std::string::npos);
  }
}
