#include "schema/config_values.hpp"

#include <arpa/inet.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace weir {

namespace {

struct unit {
  std::string_view name;
  uint64_t factor;
};

constexpr std::array duration_units{
  unit{"d", 86'400'000}, unit{"h", 3'600'000}, unit{"m", 60'000},
  unit{"s", 1'000},      unit{"ms", 1},
};
constexpr std::array size_units{
  unit{"GiB", uint64_t{1} << 30},
  unit{"GB", 1'000'000'000},
  unit{"MiB", uint64_t{1} << 20},
  unit{"MB", 1'000'000},
  unit{"KiB", uint64_t{1} << 10},
  unit{"kB", 1'000},
  unit{"", 1},
};

/// A number and one of the units; nothing when it is neither or too large.
template <size_t N>
bool parse_with_unit(std::string_view text, const std::array<unit, N>& units,
                     uint64_t& result) {
  uint64_t number = 0;
  const auto [end, failure]
    = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{})
    return false;
  const auto name = text.substr(static_cast<size_t>(end - text.data()));
  const auto found = std::find_if(
    units.begin(), units.end(), [&](const unit& u) { return u.name == name; });
  constexpr auto most
    = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (found == units.end() || number > most / found->factor)
    return false;
  result = number * found->factor;
  return true;
}

template <size_t N>
std::string show_with_unit(uint64_t number, const std::array<unit, N>& units) {
  for (const auto& u : units)
    if (number >= u.factor && number % u.factor == 0)
      return fmt::format("{}{}", number / u.factor, u.name);
  return fmt::format("0{}", units.back().name);
}

bool is_port(std::string_view text) {
  uint16_t port = 0;
  const auto [end, failure]
    = std::from_chars(text.data(), text.data() + text.size(), port);
  return !text.empty() && failure == std::errc{}
  && end == text.data() + text.size();
}

bool is_ip_address(const std::string& text, int family) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(family, text.c_str(), bytes.data()) == 1;
}

} // namespace

expected<std::chrono::milliseconds> parse_duration(std::string_view text) {
  uint64_t ms = 0;
  if (!parse_with_unit(text, duration_units, ms))
    return fail(ec::invalid_argument,
                "expected a duration with its unit, such as 500ms, 120s, 15m "
                "or 24h");
  return std::chrono::milliseconds{static_cast<int64_t>(ms)};
}

std::string show_duration(std::chrono::milliseconds time) {
  if (time.count() <= 0)
    return "0s";
  return show_with_unit(static_cast<uint64_t>(time.count()), duration_units);
}

expected<uint64_t> parse_size(std::string_view text) {
  uint64_t bytes = 0;
  if (!parse_with_unit(text, size_units, bytes))
    return fail(ec::invalid_argument,
                "expected a size in bytes, such as 4000000, 4MB or 64MiB");
  return bytes;
}

std::string show_size(uint64_t bytes) {
  return show_with_unit(bytes, size_units);
}

expected<void> check_listen_address(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon != std::string_view::npos && is_port(text.substr(colon + 1))) {
    const std::string host{text.substr(0, colon)};
    if (is_ip_address(host, AF_INET))
      return ok();
    if (host.size() > 2 && host.front() == '[' && host.back() == ']'
        && is_ip_address(host.substr(1, host.size() - 2), AF_INET6))
      return ok();
  }
  return fail(ec::invalid_argument,
              "expected an IP address and a port, such as 127.0.0.1:8009 or "
              "[::1]:8009");
}

expected<void> check_server_name(std::string_view text) {
  constexpr size_t name_bytes_max = 230;
  auto host = text;
  const auto colon = host.rfind(':');
  if (colon != std::string_view::npos && host.back() != ']') {
    if (!is_port(host.substr(colon + 1)))
      host = {};
    else
      host = host.substr(0, colon);
  }
  const auto is_name_character = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
      || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  const bool is_literal = host.size() > 2 && host.front() == '['
    && host.back() == ']'
    && is_ip_address(std::string{host.substr(1, host.size() - 2)}, AF_INET6);
  if (text.size() <= name_bytes_max && !host.empty()
      && (is_literal
          || std::all_of(host.begin(), host.end(), is_name_character)))
    return ok();
  return fail(ec::invalid_argument,
              "expected the homeserver's name, such as example.org");
}

expected<void> check_token(std::string_view text) {
  if (text.empty())
    return fail(ec::invalid_argument, "expected a token, found nothing");
  if (text.size() > token_bytes_max)
    return fail(
      ec::invalid_argument,
      fmt::format("expected a token of at most {} bytes", token_bytes_max));
  // Homeservers encode tokens as ASCII only when they send: another token loads
  // well and then fails every push.
  if (!std::all_of(text.begin(), text.end(),
                   [](char c) { return c > 0x20 && c < 0x7f; }))
    return fail(ec::invalid_argument,
                "expected a token of printable ASCII without spaces");
  return ok();
}

std::string sqlite_file_of(std::string_view storage_url) {
  constexpr std::string_view scheme = "sqlite://";
  if (!storage_url.starts_with(scheme))
    return {};
  return std::string{storage_url.substr(scheme.size())};
}

expected<void> check_storage_url(std::string_view text) {
  const auto file = sqlite_file_of(text);
  if (file.size() > 1 && file.front() == '/' && file.back() != '/'
      && file.find_first_of("?#") == std::string::npos)
    return ok();
  constexpr std::string_view scheme = "postgresql://";
  if (text.starts_with(scheme)) {
    const auto slash = text.find('/', scheme.size());
    if (slash != std::string_view::npos && slash + 1 < text.size()
        && text[slash + 1] != '?')
      return ok();
  }
  return fail(ec::invalid_argument,
              "expected sqlite:///absolute/path or "
              "postgresql://user@host:5432/name");
}

std::string encode_path_segment(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_unreserved = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
      || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
    if (is_unreserved)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

namespace {

/// How many characters must be changed, added, removed or swapped with their
/// neighbour.
size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), current(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      current[j]
        = std::min({last[j] + 1, current[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before[j - 2] + 1);
    }
    before = std::exchange(last, current);
  }
  return last[b.size()];
}

std::string_view last_part(std::string_view key) {
  return key.substr(key.rfind('.') + 1);
}

} // namespace

std::string nearest_key(std::string_view word,
                        const std::vector<std::string>& candidates) {
  constexpr size_t word_bytes_max = 128; // Longer than any key of ours.
  if (word.size() > word_bytes_max)
    return {};
  std::string nearest;
  size_t edits = std::numeric_limits<size_t>::max();
  for (const auto& candidate : candidates) {
    auto distance = edits_between(word, candidate);
    if (last_part(candidate) == last_part(word))
      distance = std::min<size_t>(distance, 1);
    if (distance < edits) {
      edits = distance;
      nearest = candidate;
    }
  }
  const auto allowed = std::max<size_t>(2, last_part(word).size() / 3);
  return edits <= allowed ? nearest : std::string{};
}

} // namespace weir
