#include "http/routes/realm_paths.hpp"

#include "http/query.hpp"
#include "http/router.hpp"
#include "persistence/text_check.hpp"
#include "schema/realm_limits.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace weir {

namespace {

constexpr std::string_view prefix = "/_weir/v1/";

/// One path: its segments behind the prefix, in which `*` is an id.
struct known_path {
  std::array<std::string_view, 5> segments;
  std::string_view method;
  realm_act act;
  std::string_view allow; ///< All methods of that path.
};

constexpr std::array paths{
  known_path{
    {"realms", "*", "events", "*"}, "PUT", realm_act::submit, "GET, HEAD, PUT"},
  known_path{{"realms", "*", "events", "*"},
             "GET",
             realm_act::read_event,
             "GET, HEAD, PUT"},
  known_path{{"realms", "*", "events", "*", "cancel"},
             "POST",
             realm_act::cancel,
             "POST"},
  known_path{{"realms", "*", "events", "*", "redeliver"},
             "POST",
             realm_act::redeliver,
             "POST"},
  known_path{{"realms", "*", "rooms"},
             "GET",
             realm_act::list_rooms,
             "GET, HEAD, PUT, POST"},
  known_path{{"realms", "*", "rooms"},
             "PUT",
             realm_act::replace_rooms,
             "GET, HEAD, PUT, POST"},
  known_path{{"realms", "*", "rooms"},
             "POST",
             realm_act::change_rooms,
             "GET, HEAD, PUT, POST"},
  known_path{
    {"realms", "*", "rooms", "*"}, "PUT", realm_act::add_room, "PUT, DELETE"},
  known_path{{"realms", "*", "rooms", "*"},
             "DELETE",
             realm_act::remove_room,
             "PUT, DELETE"},
  known_path{{"realms", "*", "status"}, "GET", realm_act::status, "GET, HEAD"},
  known_path{{"events", "bulk"}, "POST", realm_act::bulk, "POST"},
  known_path{{"outcomes"}, "GET", realm_act::outcomes, "GET, HEAD"},
};

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> found;
  while (found.size() <= known_path{}.segments.size()) {
    const auto end = std::min(path.find('/'), path.size());
    found.push_back(path.substr(0, end));
    if (end == path.size())
      break;
    path.remove_prefix(end + 1);
  }
  return found;
}

bool fits(const known_path& one, const std::vector<std::string_view>& given) {
  const auto wanted = static_cast<size_t>(
    std::ranges::find(one.segments, std::string_view{}) - one.segments.begin());
  if (given.size() != wanted)
    return false;
  for (size_t at = 0; at < wanted; ++at) {
    const auto want = one.segments[at];
    if (want == "*" ? given[at].empty() : want != given[at])
      return false;
  }
  return true;
}

bool is_method(const known_path& one, std::string_view method) {
  return method == one.method || (one.method == "GET" && method == "HEAD");
}

expected<std::string> id_of(std::string_view what, std::string_view raw,
                            size_t bytes_max) {
  auto text = percent_decoded(raw);
  if (text.size() > bytes_max || !storable_as_text(text))
    return fail(ec::invalid_argument,
                std::string{what} + " is UTF-8 of at most "
                  + std::to_string(bytes_max) + " bytes without a zero byte");
  return text;
}

expected<std::optional<int64_t>> duration(std::string_view name,
                                          const std::string& text) {
  WEIR_TRY(const auto number, whole_number(name, text));
  return std::optional{number};
}

expected<uint64_t> rows_asked(const std::string& text) {
  WEIR_TRY(const auto number, whole_number("limit", text));
  return std::clamp<uint64_t>(static_cast<uint64_t>(number), 1,
                              limits::feed_page_max);
}

} // namespace

expected<realm_route> classify_realm(std::string_view method,
                                     std::string_view target) {
  realm_route found;
  const auto path = target.substr(0, target.find('?'));
  if (!path.starts_with(prefix))
    return found;
  const auto given = segments_of(path.substr(prefix.size()));
  const known_path* meant = nullptr;
  for (const auto& one : paths) {
    if (!fits(one, given))
      continue;
    if (is_method(one, method))
      meant = &one;
    found.allow = one.allow;
  }
  if (meant == nullptr)
    return found;
  found.act = meant->act;
  if (meant->segments[1] == "*") {
    WEIR_TRY(found.realm.value,
             id_of("a realm id", given[1], limits::realm_id_bytes_max));
  }
  if (meant->segments[3] == "*") {
    WEIR_TRY(found.item,
             id_of("a key or an id", given[3], limits::realm_key_bytes_max));
  }
  return found;
}

expected<realm_read_query> parse_realm_query(std::string_view query) {
  realm_read_query asked;
  for (const auto& [name, value] : read_query(query)) {
    if (name == "after") {
      asked.after = value;
    } else if (name == "since") {
      asked.since = value;
    } else if (name == "from") {
      asked.from = value;
    } else if (name == "wait") {
      if (value != "settled")
        return fail(ec::invalid_argument, "wait is for \"settled\" alone");
      asked.until_settled = true;
    } else if (name == "wait_ms") {
      WEIR_TRY(asked.wait_ms, duration(name, value));
    } else if (name == "timeout_ms") {
      WEIR_TRY(asked.timeout_ms, duration(name, value));
    } else if (name == "limit") {
      WEIR_TRY(asked.rows_max, rows_asked(value));
    }
  }
  return asked;
}

} // namespace weir
