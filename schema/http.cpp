#include "schema/http.hpp"

#include <boost/describe/enum_to_string.hpp>

#include <algorithm>

namespace weir {

namespace {

constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

} // namespace

bool same_field_name(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view find_field(const std::vector<http_field>& fields,
                            std::string_view name) noexcept {
  for (const auto& field : fields)
    if (same_field_name(field.name, name))
      return field.value;
  return {};
}

std::string_view to_string(no_answer why) noexcept {
  return boost::describe::enum_to_string(why, "unknown");
}

} // namespace weir
