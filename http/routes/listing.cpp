#include "http/routes/listing.hpp"

#include "http/query.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace weir {

using nlohmann::json;

expected<page_query> parse_page_query(std::string_view query) {
  page_query asked;
  for (const auto& [name, value] : read_query(query)) {
    if (name == "appservice" && !value.empty()) {
      asked.appservice = appservice_id{value};
    } else if (name == "after" && !value.empty()) {
      WEIR_TRY(asked.after, whole_number(name, value));
    } else if (name == "limit" && !value.empty()) {
      WEIR_TRY(asked.rows_max, page_size(value));
    }
  }
  return asked;
}

std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string page_json(std::string_view name, json rows, uint64_t asked,
                      int64_t last) {
  const bool is_full = !rows.empty() && rows.size() >= asked;
  json page{{"next", nullptr}};
  page[std::string{name}] = std::move(rows);
  if (is_full)
    page["next"] = last;
  return dumped(page);
}

} // namespace weir
