#include "actors/policy/retry_after.hpp"

#include "actors/policy/http_date.hpp"
#include "schema/limits.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace weir::policy {

namespace {

constexpr milliseconds longest = limits::retry_after_max;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view white = " \t";
  const auto first = text.find_first_not_of(white);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(white) - first + 1);
}

/// Field names compare without regard to case.
bool is_retry_after(std::string_view name) {
  constexpr std::string_view wanted = "retry-after";
  return std::equal(name.begin(), name.end(), wanted.begin(), wanted.end(),
                    [](char a, char b) {
                      return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b;
                    });
}

/// A request of `count` milliseconds, capped; nothing when it makes no sense.
std::optional<milliseconds> sensible(double count) {
  if (!(count >= 0)) // Also refuses what is no number.
    return std::nullopt;
  const auto capped
    = std::min(std::ceil(count), static_cast<double>(longest.count()));
  return milliseconds{static_cast<milliseconds::rep>(capped)};
}

/// `120` or `1.5`, and nothing else that looks like a number.
std::optional<milliseconds> parse_seconds(std::string_view text) {
  constexpr std::string_view digits = "0123456789";
  const auto dot = std::min(text.find('.'), text.size());
  const auto whole = text.substr(0, dot);
  const auto part = dot < text.size() ? text.substr(dot + 1) : "0";
  if (whole.empty() || part.empty()
      || whole.find_first_not_of(digits) != std::string_view::npos
      || part.find_first_not_of(digits) != std::string_view::npos)
    return std::nullopt;
  double seconds = 0;
  const auto parsed
    = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (parsed.ec == std::errc::result_out_of_range) // Too large or too small.
    return whole.find_first_not_of('0') == std::string_view::npos
      ? milliseconds{1}
      : longest;
  return sensible(seconds * 1000);
}

std::optional<stored_time> date_of(const http_answer& answer, stored_time now) {
  return parse_http_date(trimmed(find_field(answer.fields, "Date")), now);
}

std::optional<milliseconds>
parse_field(std::string_view text, const http_answer& answer, stored_time now) {
  if (const auto seconds = parse_seconds(text))
    return seconds;
  const auto date = parse_http_date(text, now);
  if (!date)
    return std::nullopt;
  return sensible(
    static_cast<double>((*date - date_of(answer, now).value_or(now)).count()));
}

std::optional<milliseconds> from_body(const std::string& body) {
  if (body.find("retry_after_ms") == std::string::npos)
    return std::nullopt; // Most bodies are not worth parsing.
  const auto parsed = nlohmann::json::parse(body, nullptr, false);
  if (!parsed.is_object())
    return std::nullopt;
  const auto field = parsed.find("retry_after_ms");
  if (field == parsed.end() || !field->is_number())
    return std::nullopt;
  return sensible(field->get<double>());
}

} // namespace

std::optional<milliseconds> retry_after(const http_answer& answer,
                                        stored_time now) {
  auto longest_asked = from_body(answer.body);
  for (const auto& field : answer.fields) {
    if (!is_retry_after(field.name))
      continue;
    const auto asked = parse_field(trimmed(field.value), answer, now);
    longest_asked = std::max(longest_asked, asked);
  }
  return longest_asked;
}

void give_date(http_answer& answer, stored_time arrived) {
  const bool asks
    = std::any_of(answer.fields.begin(), answer.fields.end(),
                  [](const auto& each) { return is_retry_after(each.name); });
  if (!asks || date_of(answer, arrived))
    return;
  std::erase_if(answer.fields, [](const auto& each) {
    return same_field_name(each.name, "Date");
  });
  // Cut to the second: what is asked for ends no earlier by it.
  answer.fields.push_back({"Date", to_http_date(arrived)});
}

} // namespace weir::policy
