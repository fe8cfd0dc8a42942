#include "schema/token_keys.hpp"

#include "schema/config_files.hpp"
#include "schema/hash.hpp"
#include "schema/limits.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace weir {

namespace {

constexpr size_t secret_bytes = 32;
/// Room for the keys and for what a person notes beside them.
constexpr size_t file_bytes_max = size_t{16} << 10;

constexpr std::string_view explained = "# Keys of Weir's stream tokens. The "
                                       "first signs; tokens of the others are\n"
                                       "# still taken. To change the key put a "
                                       "new line, with a new number, first.\n";

int hex_value(char digit) noexcept {
  if (digit >= '0' && digit <= '9')
    return digit - '0';
  if (digit >= 'a' && digit <= 'f')
    return digit - 'a' + 10;
  return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

/// Empty when they are not as many hex digits as a secret has.
std::string secret_of(std::string_view digits) {
  if (digits.size() != 2 * secret_bytes)
    return {};
  std::string bytes;
  for (size_t at = 0; at < digits.size(); at += 2) {
    const int high = hex_value(digits[at]);
    const int low = hex_value(digits[at + 1]);
    if (high < 0 || low < 0)
      return {};
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

expected<token_key> key_of(std::string_view line) {
  token_key key;
  const auto* const end = line.data() + line.size();
  const auto number = std::from_chars(line.data(), end, key.id);
  if (number.ec != std::errc{} || key.id == 0 || number.ptr == end
      || *number.ptr != ' ')
    return fail(ec::invalid_argument, "expected a number above 0 and a key");
  const std::string_view rest{number.ptr, end};
  key.secret = secret_of(rest.substr(rest.find_first_not_of(' ') == rest.npos
                                       ? rest.size()
                                       : rest.find_first_not_of(' ')));
  if (key.secret.empty())
    return fail(ec::invalid_argument,
                fmt::format("expected a key of {} hex digits after its number",
                            2 * secret_bytes));
  return key;
}

std::string_view trimmed_end(std::string_view line) {
  const auto last = line.find_last_not_of(" \t\r");
  return line.substr(0, last == line.npos ? 0 : last + 1);
}

} // namespace

expected<token_keys> token_keys::parse(std::string_view text) {
  token_keys ring;
  for (size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = trimmed_end(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#')
      continue;
    auto key = key_of(line);
    if (key && ring.find(key.value().id) != nullptr)
      key = fail(ec::invalid_argument, "this number is there twice");
    if (key && ring.keys_.size() == limits::token_keys_max)
      key = fail(ec::invalid_argument,
                 fmt::format("more than {} keys", limits::token_keys_max));
    if (!key)
      return fail(
        ec::invalid_argument,
        fmt::format("token keys, line {}: {}", number, key.error().context));
    ring.keys_.push_back(std::move(key.value()));
  }
  if (ring.keys_.empty())
    return fail(ec::invalid_argument, "token keys: there is none");
  return ring;
}

const token_key* token_keys::find(uint32_t id) const noexcept {
  const auto found = std::ranges::find(keys_, id, &token_key::id);
  return found == keys_.end() ? nullptr : &*found;
}

expected<token_keys> read_token_keys(const std::string& path) {
  WEIR_TRY(const auto file, read_file(path, file_bytes_max));
  if (file.others_may_read)
    return fail(ec::forbidden,
                path + ": others may read these keys, run chmod o-rwx on it");
  auto ring = token_keys::parse(file.bytes);
  if (!ring)
    return fail(ring.error().code, path + ": " + ring.error().context);
  return ring;
}

expected<token_keys> ensure_token_keys(const std::string& path) {
  auto present = read_token_keys(path);
  if (present || present.error().code != ec::not_found)
    return present;
  WEIR_TRY(make_private_file(
    path, fmt::format("{}1 {}\n", explained, random_hex(secret_bytes))));
  return read_token_keys(path);
}

} // namespace weir
