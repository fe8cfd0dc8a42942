#pragma once

#include "schema/config.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

template <>
struct doctest::StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string>& all) {
    std::string text;
    for (const auto& one : all)
      text.append("\n  ").append(one);
    return text.c_str();
  }
};

namespace weir::config_samples {

using lines = std::vector<std::string>;

/// What a configuration cannot do without.
inline const std::string minimal = "homeserver: {name: example.org, "
                                   "url: 'http://127.0.0.1:8008'}\n";

inline loaded_config parse(const std::string& text) {
  return parse_config("/etc/weir/weir.yaml", text);
}

inline lines as_lines(const std::vector<config_problem>& problems) {
  lines result;
  for (const auto& problem : problems)
    result.push_back(to_string(problem));
  return result;
}

/// All problems as lines, with `f` for the file's name.
inline lines problems_of(const loaded_config& loaded) {
  auto problems = loaded.problems;
  for (auto& problem : problems)
    problem.file = std::string(1, 'f');
  return as_lines(problems);
}

/// The problems of a text that is right but for `extra`.
inline lines problems_with(const std::string& extra) {
  return problems_of(parse(minimal + extra));
}

/// The same, of a homeserver that producers' events can be sent to.
inline lines problems_among(const std::string& producers) {
  return problems_of(parse(
    "homeserver: {name: e.org, url: 'http://h', as_token: t}\n" + producers));
}

} // namespace weir::config_samples
