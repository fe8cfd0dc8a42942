#include "schema/metrics.hpp"
#include "tests/support/source_dir.hpp"

#include <doctest/doctest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

using namespace weir;

namespace {

const std::string rules_file = "/docs/examples/weir.rules.yml";
const std::vector<std::string> tests_files{
  "/tests/alerts/weir.rules_test.yml",
  "/tests/alerts/weir.rules_hours_test.yml"};
const std::string pages_file = "/docs/alarms.md";

std::string text_of(const std::string& file) {
  std::ifstream from{test::source_dir() + file};
  return {std::istreambuf_iterator<char>{from}, {}};
}

std::vector<YAML::Node> rules() {
  std::vector<YAML::Node> all;
  for (const auto& group : YAML::Load(text_of(rules_file))["groups"])
    for (const auto& rule : group["rules"])
      all.push_back(rule);
  return all;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return text;
}

/// What follows each `## Weir…` up to the next heading, by heading.
std::map<std::string, std::string> pages() {
  std::map<std::string, std::string> found;
  std::istringstream lines{text_of(pages_file)};
  std::string of;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## "))
      of = line.substr(3);
    else if (!of.empty())
      found[of] += line + '\n';
  }
  return found;
}

std::set<std::string> matches(const std::string& text, const char* pattern) {
  const std::regex wanted{pattern};
  return {std::sregex_token_iterator{text.begin(), text.end(), wanted},
          std::sregex_token_iterator{}};
}

/// Of a histogram there are three more names.
bool is_family(const std::string& name) {
  const auto all = metric_families();
  return std::any_of(all.begin(), all.end(), [&](const metric_family& family) {
    const std::string known{family.name};
    return name == known
      || (family.kind == metric_kind::histogram
          && (name == known + "_bucket" || name == known + "_sum"
              || name == known + "_count"));
  });
}

} // namespace

TEST_CASE("alerts: every figure that they and their pages name is there") {
  auto files = tests_files;
  files.insert(files.end(), {rules_file, pages_file, "/docs/operations.md"});
  for (const auto& file : files) {
    CAPTURE(file);
    const auto names = matches(text_of(file), "\\bweir_[a-z_]*[a-z]\\b");
    CHECK(!names.empty());
    for (const auto& name : names) {
      CAPTURE(name);
      CHECK(is_family(name));
    }
  }
}

TEST_CASE("alerts: each says how grave it is and names its page") {
  const std::set<std::string> severities{"page", "ticket", "note"};
  const auto known = pages();
  std::set<std::string> names;
  for (const auto& rule : rules()) {
    const auto name = rule["alert"].as<std::string>();
    CAPTURE(name);
    CHECK(names.insert(name).second);
    CHECK(severities.contains(rule["labels"]["severity"].as<std::string>()));
    CHECK(!rule["annotations"]["summary"].as<std::string>().empty());
    CHECK(rule["annotations"]["page"].as<std::string>()
          == "docs/alarms.md#" + lower(name));
    CHECK(known.contains(name));
  }
  CHECK(names.size() > 20);
  for (const auto& page : known) {
    CAPTURE(page.first);
    CHECK(names.contains(page.first));
  }
}

TEST_CASE("alerts: each page tells all that is asked at night") {
  for (const auto& page : pages()) {
    CAPTURE(page.first);
    const auto& text = page.second;
    size_t at = 0;
    for (const std::string part :
         {"- **It says**: ", "- **Look**: ", "- **Why**: ", "- **Do**:",
          "- **Over when**: "}) {
      CAPTURE(part);
      const auto found = text.find(part, at);
      REQUIRE(found != std::string::npos);
      at = found + part.size();
    }
  }
}

TEST_CASE("alerts: each is in the list at the head, under its severity") {
  const auto text = text_of(pages_file);
  for (const auto& rule : rules()) {
    const auto name = rule["alert"].as<std::string>();
    const auto severity = rule["labels"]["severity"].as<std::string>();
    CAPTURE(name);
    const auto link = "[" + name + "](#" + lower(name) + ")";
    const auto at = text.find(link);
    REQUIRE(at != std::string::npos);
    const auto row = text.substr(at, text.find('\n', at) - at);
    CHECK(row.find(severity) != std::string::npos);
  }
}

TEST_CASE("alerts: each is seen to come, and to stay away before") {
  std::set<std::string> come;
  std::set<std::string> stay_away;
  for (const auto& file : tests_files)
    for (const auto& test : YAML::Load(text_of(file))["tests"])
      for (const auto& expected : test["alert_rule_test"]) {
        const auto name = expected["alertname"].as<std::string>();
        (expected["exp_alerts"].size() > 0 ? come : stay_away).insert(name);
      }
  for (const auto& rule : rules()) {
    const auto name = rule["alert"].as<std::string>();
    CAPTURE(name);
    CHECK(come.contains(name));
    CHECK(stay_away.contains(name));
  }
}
