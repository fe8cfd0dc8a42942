#pragma once

#include "actors/house.hpp"
#include "http/exchange.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// Appservices that no configuration names, in the admin API: what is kept of
/// them is exported and deleted. Shapes are in docs/api.md.
namespace weir {

/// `/appservices/{id}/{verb}`.
struct appservice_path {
  std::string id; ///< Percent-decoded.
  std::string verb;
};

/// Nothing for another path. `path` begins with `/appservices/`.
std::optional<appservice_path> parse_appservice_path(std::string_view path);

/// `after`: what the page before named, `PART:NUMBER`; empty: from the first.
/// Errors: `ec::invalid_argument`.
expected<read_export> parse_export_query(const std::string& appservice,
                                         std::string_view query);

/// Lines of JSON, each an element with its bytes. The last one of a page has
/// `next`, what the following page begins `after`; that of the last page has
/// the counts of all, and the `mark` by which they are deleted.
std::string export_lines(const export_page& page);

/// `GET …/export`.
void export_reply(house& door, const appservice_path& what,
                  std::string_view query, const reply& answer);

/// `POST …/remove`: `mark`, `by`. @param serves Whether the configuration names
/// an appservice.
void remove_reply(house& door, const appservice_path& what,
                  std::string_view query,
                  const std::function<bool(const std::string&)>& serves,
                  const reply& answer);

} // namespace weir
