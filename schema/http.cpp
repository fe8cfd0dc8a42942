#include "schema/http.hpp"

#include <boost/describe/enum_to_string.hpp>

#include <algorithm>

namespace weir {

namespace {

constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

} // namespace

std::string_view find_field(const std::vector<http_field>& fields,
                            std::string_view name) noexcept {
  for (const auto& field : fields)
    if (std::equal(field.name.begin(), field.name.end(), name.begin(),
                   name.end(),
                   [](char a, char b) { return lower(a) == lower(b); }))
      return field.value;
  return {};
}

std::string_view to_string(no_answer why) noexcept {
  return boost::describe::enum_to_string(why, "unknown");
}

} // namespace weir
