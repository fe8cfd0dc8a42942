#include "http/router.hpp"

#include "persistence/text_check.hpp"

#include <algorithm>
#include <optional>

namespace weir {

namespace {

std::optional<unsigned> hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9')
    return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f')
    return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F')
    return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

/// Raw bytes past ASCII as escapes, so that any id can be stored.
std::string escaped(std::string_view raw) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text;
  for (const char c : raw) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text.push_back(c);
    } else {
      text.push_back('%');
      text.push_back(digits[byte >> 4]);
      text.push_back(digits[byte & 15]);
    }
  }
  return text;
}

/// Eats one or more slashes and then `segment`, when that is what `path` begins
/// with and a segment ends there.
bool eat(std::string_view& path, std::string_view segment) noexcept {
  const auto start = path.find_first_not_of('/');
  if (start == 0 || start == std::string_view::npos)
    return false;
  auto rest = path.substr(start);
  if (!rest.starts_with(segment))
    return false;
  rest.remove_prefix(segment.size());
  if (!rest.empty() && rest.front() != '/')
    return false;
  path = rest;
  return true;
}

template <class... Segments>
bool eat(std::string_view& path, std::string_view first,
         Segments... more) noexcept {
  auto rest = path;
  if (!eat(rest, first) || !(eat(rest, std::string_view{more}) && ...))
    return false;
  path = rest;
  return true;
}

/// What follows the slash: an id of one character or more.
bool has_id(std::string_view path) noexcept {
  return path.size() > 1 && path.front() == '/';
}

struct verdict {
  route_kind kind = route_kind::unknown;
  std::string_view allow; ///< Empty: any method.
  std::string_view id;    ///< Raw.
};

verdict transaction(std::string_view rest) noexcept {
  if (!has_id(rest))
    return {};
  return {route_kind::transaction, "PUT", rest.substr(1)};
}

verdict proxied_if(bool known, std::string_view allow) noexcept {
  return known ? verdict{route_kind::proxied, allow, {}} : verdict{};
}

/// `/_matrix/app/…`, its first two segments eaten.
verdict below_app(std::string_view path) noexcept {
  const verdict any{route_kind::proxied, {}, {}};
  auto rest = path;
  if (eat(rest, "v1", "transactions") || eat(rest, "unstable", "transactions"))
    return transaction(rest);
  if (eat(rest, "v1", "ping")
      || eat(rest, "unstable", "fi.mau.msc2659", "ping"))
    return rest.empty() ? verdict{route_kind::ping, "POST", {}} : any;
  if (eat(rest, "v1", "users") || eat(rest, "v1", "rooms"))
    return has_id(rest) ? verdict{route_kind::proxied, "GET", {}} : any;
  if (eat(rest, "v1", "thirdparty") || eat(rest, "unstable", "thirdparty"))
    return {route_kind::proxied, "GET", {}};
  if (eat(rest, "unstable", "org.matrix.msc3983", "keys", "claim")
      || eat(rest, "unstable", "org.matrix.msc3984", "keys", "query"))
    return {route_kind::proxied, "POST", {}};
  return any;
}

/// A path as a bridge would see it.
verdict judged(std::string_view path) noexcept {
  auto rest = path;
  if (eat(rest, "_matrix", "app"))
    return has_id(rest) ? below_app(rest) : verdict{};
  if (eat(rest, "transactions"))
    return transaction(rest);
  if (eat(rest, "users") || eat(rest, "rooms"))
    return proxied_if(has_id(rest), "GET");
  return {};
}

/// Takes the raw segment after `/_weir/as/` off `path`.
std::string_view take_segment(std::string_view& path) noexcept {
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  const auto segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

bool fits(std::string_view method, std::string_view allow) noexcept {
  return allow.empty() || allow.substr(0, allow.find(',')) == method
    || (allow == "GET, HEAD" && method == "HEAD");
}

std::string one_leading_slash(std::string_view path, std::string_view query) {
  const auto start = std::min(path.find_first_not_of('/'), path.size());
  std::string target{"/"};
  return target.append(path.substr(start)).append(query);
}

route own_path(std::string_view method, route_kind kind) {
  constexpr std::string_view allow = "GET, HEAD";
  route found;
  found.kind = kind;
  found.method_fits = fits(method, allow);
  found.allow = allow;
  return found;
}

/// `/_weir/v1/appservices/{id}/events`; what is no such path is unknown.
route second_door(std::string_view method, std::string_view path) {
  constexpr std::string_view allow = "POST";
  route found;
  found.appservice = percent_decoded(take_segment(path));
  if (found.appservice.empty() || !eat(path, "events") || !path.empty())
    return {};
  found.kind = route_kind::events;
  found.method_fits = fits(method, allow);
  found.allow = allow;
  found.by_id = true;
  return found;
}

} // namespace

std::string percent_decoded(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '%' && at + 2 < text.size()) {
      const auto high = hex_digit(text[at + 1]);
      const auto low = hex_digit(text[at + 2]);
      if (high && low) {
        plain.push_back(static_cast<char>(*high << 4 | *low));
        at += 2;
        continue;
      }
    }
    plain.push_back(text[at]);
  }
  return plain;
}

route classify(std::string_view method, std::string_view target) {
  const auto path = target.substr(0, target.find('?'));
  const auto query = target.substr(path.size());
  if (path == "/health")
    return own_path(method, route_kind::health);
  if (path == "/ready")
    return own_path(method, route_kind::ready);
  route found;
  auto rest = path;
  if (eat(rest, "_weir", "v1", "appservices"))
    return second_door(method, rest);
  if (eat(rest, "_weir", "as")) {
    found.by_id = true;
    found.appservice = percent_decoded(take_segment(rest));
    if (found.appservice.empty())
      return {};
  }
  const auto seen = judged(rest);
  if (seen.kind == route_kind::unknown)
    return {};
  found.kind = seen.kind;
  found.method_fits = fits(method, seen.allow);
  found.allow = seen.allow;
  found.forward = one_leading_slash(rest, query);
  found.txn = percent_decoded(seen.id);
  if (!storable_as_text(found.txn))
    found.txn = escaped(seen.id);
  return found;
}

} // namespace weir
