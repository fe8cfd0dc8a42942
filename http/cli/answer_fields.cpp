#include "http/cli/answer_fields.hpp"

#include "http/cli/text_table.hpp"

#include <fmt/core.h>

namespace weir {

using nlohmann::json;

std::string text_at(const json& object, const char* key, size_t columns_max) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null())
    return {};
  return printable(found->is_string() ? found->get<std::string>()
                                      : found->dump(),
                   columns_max);
}

int64_t number_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<int64_t>()
                                                     : 0;
}

json list_at(const json& answer, const char* key) {
  json objects = json::array();
  const auto found = answer.find(key);
  if (found != answer.end() && found->is_array())
    for (const auto& item : *found)
      if (item.is_object())
        objects.push_back(item);
  return objects;
}

std::string or_dash(std::string text) {
  return text.empty() ? "-" : text;
}

std::string show_ms(int64_t at_ms) {
  return at_ms > 0 ? fmt::format("{}", at_ms) : "-";
}

} // namespace weir
