#include "http/query.hpp"
#include "persistence/text_check.hpp"
#include "schema/config_values.hpp"
#include "schema/limits.hpp"
#include "tests/fuzz/properties.hpp"

#include <algorithm>

namespace weir::test {

namespace {

/// As a client that keeps to the rules would write it.
std::string written(const std::vector<query_parameter>& parameters) {
  std::string query;
  for (const auto& [name, value] : parameters)
    query += std::string{name} + '=' + encode_path_segment(value) + '&';
  return query;
}

bool same(const std::vector<query_parameter>& left,
          const std::vector<query_parameter>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const auto& one, const auto& other) {
                      return one.name == other.name && one.value == other.value;
                    });
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
}

std::string broken_value(const std::string& value) {
  const auto number = whole_number("after", value);
  if (number && (!is_digits(value) || number.value() < 0))
    return "a number that is not in digits alone";
  const auto rows = page_size(value);
  if (rows.has_value() != number.has_value())
    return "a page's size is no number";
  if (rows && (rows.value() < 1 || rows.value() > limits::page_rows_max))
    return "a page beyond its bound";
  const auto name = asker_name(value);
  if (name && (name.value() != value || !storable_as_text(value)))
    return "a name that is not kept as it came";
  return "";
}

} // namespace

std::string broken_query_property(std::string_view query) {
  const auto found = read_query(query);
  auto pieces = static_cast<size_t>(std::ranges::count(query, '&'));
  if (!query.empty() && query.back() != '&')
    ++pieces;
  if (found.size() != pieces)
    return "a parameter was left out or made up";
  auto at = query.data();
  for (const auto& [name, value] : found) {
    if (name.data() < at
        || name.data() + name.size() > query.data() + query.size())
      return "a name from elsewhere, or out of turn";
    at = name.data() + name.size();
    if (auto broken = broken_value(value); !broken.empty())
      return broken;
  }
  const auto again = written(found);
  return same(read_query(again), found) ? "" : "read otherwise when written";
}

} // namespace weir::test
