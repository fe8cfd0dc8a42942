#include "http/auth.hpp"

#include "http/router.hpp"
#include "schema/hash.hpp"

#include <algorithm>

namespace weir {

namespace {

constexpr std::string_view query_key = "access_token";

/// The token of a field value `Bearer <token>`.
std::optional<std::string> bearer_token(std::string_view value) {
  const auto space = value.find(' ');
  if (space == std::string_view::npos
      || !same_field_name(value.substr(0, space), "bearer"))
    return std::nullopt;
  const auto token = value.find_first_not_of(' ', space);
  if (token == std::string_view::npos)
    return std::nullopt;
  return std::string{value.substr(token)};
}

bool is_token_parameter(std::string_view parameter) {
  const auto key = parameter.substr(0, parameter.find('='));
  return key == query_key
    || (key.find('%') != std::string_view::npos
        && percent_decoded(key) == query_key);
}

/// Calls `each` with every parameter of a query, in order.
template <class Function>
void for_each_parameter(std::string_view query, Function each) {
  while (true) {
    const auto end = query.find('&');
    each(query.substr(0, end));
    if (end == std::string_view::npos)
      return;
    query.remove_prefix(end + 1);
  }
}

void read_header(const request_head& head, credentials& given) {
  for (const auto& field : head.fields) {
    if (!same_field_name(field.name, "authorization"))
      continue;
    auto token = bearer_token(field.value);
    if (!token || given.header)
      given.unusable = true;
    given.header = std::move(token);
  }
}

void read_query(const request_head& head, credentials& given) {
  for_each_parameter(head.query(), [&](std::string_view parameter) {
    if (!is_token_parameter(parameter))
      return;
    const auto mark = std::min(parameter.find('='), parameter.size() - 1);
    auto token = percent_decoded(parameter.substr(mark + 1));
    if (given.query && !equal_in_constant_time(*given.query, token))
      given.unusable = true;
    given.query = std::move(token);
  });
}

bool accepted(const credentials& given, std::string_view token,
              bool query_alone) noexcept {
  // No short cuts: each part is compared whatever the others are.
  const bool header
    = equal_in_constant_time(given.header.value_or(std::string{}), token);
  const bool query
    = equal_in_constant_time(given.query.value_or(std::string{}), token);
  const bool header_fits = given.header ? header : query_alone;
  const bool query_fits = given.query ? query : given.header.has_value();
  return !token.empty() && !given.unusable && header_fits && query_fits;
}

} // namespace

credentials read_credentials(const request_head& head) {
  credentials given;
  read_header(head, given);
  read_query(head, given);
  return given;
}

expected<void> check_token(const credentials& given, std::string_view token,
                           bool query_alone) {
  if (!accepted(given, token, query_alone))
    return fail(ec::forbidden, "missing or wrong token");
  return ok();
}

expected<size_t> find_by_token(const credentials& given,
                               std::span<const token_candidate> candidates) {
  size_t found = candidates.size();
  for (size_t at = 0; at < candidates.size(); ++at)
    if (accepted(given, candidates[at].token, candidates[at].query_alone))
      found = at;
  if (found == candidates.size())
    return fail(ec::forbidden, "missing or wrong token");
  return found;
}

std::string strip_access_token(std::string_view query) {
  std::string kept;
  bool first = true;
  for_each_parameter(query, [&](std::string_view parameter) {
    if (is_token_parameter(parameter))
      return;
    if (!std::exchange(first, false))
      kept.push_back('&');
    kept.append(parameter);
  });
  return kept;
}

std::string strip_target(std::string_view target) {
  const auto mark = target.find('?');
  if (mark == std::string_view::npos)
    return std::string{target};
  const auto query = target.substr(mark + 1);
  auto kept = strip_access_token(query);
  std::string stripped{target.substr(0, mark)};
  if (!kept.empty() || query.empty())
    stripped.append("?").append(kept);
  return stripped;
}

} // namespace weir
