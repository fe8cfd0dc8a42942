#include "http/query.hpp"

#include "http/router.hpp"
#include "persistence/text_check.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace weir {

namespace {

/// It stands in rows and logs for long.
constexpr size_t name_bytes_max = 64;

} // namespace

std::vector<query_parameter> read_query(std::string_view query) {
  std::vector<query_parameter> found;
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const auto pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const auto equals = std::min(pair.find('='), pair.size());
    found.push_back(
      {pair.substr(0, equals),
       percent_decoded(pair.substr(std::min(equals + 1, pair.size())))});
  }
  return found;
}

expected<int64_t> whole_number(std::string_view name, std::string_view text) {
  int64_t number = 0;
  const auto parsed
    = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()
      || text.front() == '-')
    return fail(ec::invalid_argument,
                std::string{name} + " is a whole number from 0");
  return number;
}

expected<uint64_t> page_size(std::string_view text) {
  WEIR_TRY(const auto limit, whole_number("limit", text));
  return std::clamp<uint64_t>(static_cast<uint64_t>(limit), 1,
                              limits::page_rows_max);
}

expected<std::string> one_line(std::string_view name, std::string text,
                               size_t bytes_max) {
  const bool controls = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (controls || text.size() > bytes_max || !storable_as_text(text))
    return fail(ec::invalid_argument,
                fmt::format("{} is one line of UTF-8 of at most {} bytes", name,
                            bytes_max));
  return text;
}

expected<std::string> asker_name(std::string text) {
  return one_line("by", std::move(text), name_bytes_max);
}

} // namespace weir
