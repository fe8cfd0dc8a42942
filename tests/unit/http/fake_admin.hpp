#pragma once

#include "http/cli/command_line.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace weir::test {

/// An admin API that answers the same to all and notes what it was asked.
struct fake_admin {
  expected<admin_answer> answer = admin_answer{200, "{}"};
  std::vector<std::string> asked;

  admin_call call() {
    return [this](std::string_view method, std::string_view path) {
      asked.push_back(std::string{method} + " " + std::string{path});
      return answer;
    };
  }
};

/// Whether `part` stands in `text`.
inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace weir::test
