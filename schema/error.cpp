#include "schema/error.hpp"

#include <cstdio>
#include <cstdlib>

namespace weir {

std::string_view to_string(ec code) noexcept {
  switch (code) {
  case ec::none: return "none";
  case ec::invalid_argument: return "invalid_argument";
  case ec::not_json: return "not_json";
  case ec::bad_json: return "bad_json";
  case ec::forbidden: return "forbidden";
  case ec::not_found: return "not_found";
  case ec::not_current: return "not_current";
  case ec::full: return "full";
  case ec::too_large: return "too_large";
  case ec::superseded: return "superseded";
  case ec::unavailable: return "unavailable";
  case ec::in_doubt: return "in_doubt";
  case ec::rejected: return "rejected";
  case ec::expired: return "expired";
  case ec::corrupt: return "corrupt";
  case ec::busy: return "busy";
  }
  return "unknown";
}

std::string to_string(const error& what) {
  std::string text{to_string(what.code)};
  if (!what.context.empty())
    text.append(": ").append(what.context);
  return text;
}

void assertion_failed(const char* condition, const char* file,
                      int line) noexcept {
  std::fprintf(stderr, "weir: broken assertion %s at %s:%d\n", condition, file,
               line);
  std::abort();
}

} // namespace weir
