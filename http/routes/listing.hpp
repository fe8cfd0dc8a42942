#pragma once

#include "schema/error.hpp"
#include "schema/ids.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

/// Which page of a listing is asked for: `appservice`, `after`, `limit`.
struct page_query {
  std::optional<appservice_id> appservice;
  int64_t after = 0;
  uint64_t rows_max = 100;
};

/// Other parameters mean nothing. Errors: `ec::invalid_argument`.
expected<page_query> parse_page_query(std::string_view query);

/// As text. Bytes that are no UTF-8 (a lone escape is fine, a raw byte is not)
/// are replaced rather than refused: this is for people.
std::string dumped(const nlohmann::json& value);

/// `{NAME: rows, "next": LAST or null}`: a page that is full may have a next.
/// `last` is the id of its last row.
std::string page_json(std::string_view name, nlohmann::json rows,
                      uint64_t asked, int64_t last);

} // namespace weir
