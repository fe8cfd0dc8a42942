#pragma once

#include "schema/registration.hpp"
#include "tests/support/config_samples.hpp"

#include <string>

namespace weir::registration_samples {

using config_samples::as_lines;
using config_samples::lines;

/// A registration that is right.
inline const std::string good = R"(id: telegram
url: http://127.0.0.1:29317
as_token: as-secret
hs_token: hs-secret
sender_localpart: telegrambot
rate_limited: false
namespaces:
  users:
    - {regex: '@telegram_.*:example\.org', exclusive: true}
)";

/// `good` with one line replaced, or left out when `with` is empty.
inline std::string changed(const std::string& key, const std::string& with) {
  std::string result;
  for (size_t at = 0; at < good.size();) {
    const auto end = good.find('\n', at) + 1;
    const auto line = good.substr(at, end - at);
    if (line.starts_with(key + ":"))
      result += with.empty() ? "" : with + "\n";
    else
      result += line;
    at = end;
  }
  return result;
}

inline loaded_registrations parse(const std::string& text) {
  loaded_registrations result;
  parse_registration("f", text, result);
  return result;
}

inline lines problems_of(const std::string& text) {
  return as_lines(parse(text).problems);
}

inline bool is_refused(const std::string& text) {
  const auto loaded = parse(text);
  return loaded.registrations.empty() && !loaded.problems.empty();
}

} // namespace weir::registration_samples
