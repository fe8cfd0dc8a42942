#include "actors/trace/guard.hpp"

#include "persistence/text_check.hpp"
#include "schema/hash.hpp"
#include "schema/http.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace weir::trace {

namespace {

constexpr size_t sha_digits = 16;
/// What a stand-in begins with: no text does. Like all of a stand-in it is of
/// characters that no URL escapes, since a token may go into a query.
constexpr std::string_view stand_in_mark = "~weir-trace~";
/// An error body of Matrix is far smaller; a larger one is not looked into.
constexpr size_t error_body_bytes_max = 4'096;
constexpr size_t error_code_bytes_max = 64;

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  result.reserve(bytes.size() * 2);
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    result += digits[byte >> 4];
    result += digits[byte & 15];
  }
  return result;
}

bool from_hex(const std::string& digits, std::string& into) {
  if (digits.size() % 2 != 0)
    return false;
  std::string result;
  for (size_t i = 0; i < digits.size(); i += 2) {
    unsigned byte = 0;
    const auto* end = digits.data() + i + 2;
    const auto parsed = std::from_chars(digits.data() + i, end, byte, 16);
    if (parsed.ec != std::errc{} || parsed.ptr != end)
      return false;
    result += static_cast<char>(byte);
  }
  into = std::move(result);
  return true;
}

/// What a stand-in at `at` stands for, and where it ends.
struct stood_text {
  uint64_t length = 0;
  std::string sha256;
  size_t end = 0;
};

std::optional<stood_text> stood_for(std::string_view bytes, size_t at) {
  const auto rest = bytes.substr(at + stand_in_mark.size());
  stood_text found;
  const auto parsed
    = std::from_chars(rest.data(), rest.data() + rest.size(), found.length);
  const auto digits = static_cast<size_t>(parsed.ptr - rest.data());
  if (parsed.ec != std::errc{} || rest.size() < digits + 1 + sha_digits)
    return {};
  found.sha256 = rest.substr(digits + 1, sha_digits);
  const auto least = stand_in_mark.size() + digits + 1 + sha_digits;
  found.end = at + std::max<size_t>(least, found.length);
  if (found.end > bytes.size())
    return {};
  return found;
}

/// The code and the wait of an error as Matrix shapes it.
json matrix_essence(const std::string& body) {
  json essence = json::object();
  if (body.size() > error_body_bytes_max || !body.starts_with('{'))
    return essence;
  const auto parsed = json::parse(body, nullptr, false);
  if (!parsed.is_object())
    return essence;
  if (const auto code = parsed.find("errcode"); code != parsed.end()
      && code->is_string()
      && code->get_ref<const std::string&>().size() <= error_code_bytes_max)
    essence["errcode"] = *code;
  if (const auto wait = parsed.find("retry_after_ms");
      wait != parsed.end() && wait->is_number())
    essence["retry_after_ms"] = *wait;
  return essence;
}

} // namespace

json text_json(std::string_view text) {
  if (storable_as_text(text))
    return std::string{text};
  return json{{"hex", to_hex(text)}};
}

bool read_text(const json& from, std::string& into) {
  if (from.is_string()) {
    into = from.get_ref<const std::string&>();
    return true;
  }
  const auto hex = from.is_object() ? from.find("hex") : from.end();
  return from.is_object() && hex != from.end() && hex->is_string()
    && from_hex(hex->get_ref<const std::string&>(), into);
}

json redacted(std::string_view bytes) {
  const auto at = bytes.find(stand_in_mark);
  const auto stood = at == std::string_view::npos ? std::optional<stood_text>{}
                                                  : stood_for(bytes, at);
  if (!stood)
    return json{{"len", bytes.size()},
                {"sha256", fmt::format("{:016x}", sha256_head(bytes))}};
  const auto around = at + bytes.size() - stood->end;
  return json{{"len", stood->length + around},
              {"sha256", around == 0 ? stood->sha256 : hash_unknown}};
}

json redacted(const shared_bytes& bytes) {
  struct known {
    shared_bytes bytes; // Held, so that its address means no other body.
    json shown;
  };
  // A thread meets a body again within a few messages, or never.
  constexpr size_t bodies = 4;
  constexpr size_t held_bytes_max = size_t{1} << 20;
  if (bytes.size() > held_bytes_max)
    return redacted(bytes.view());
  thread_local std::array<known, bodies> ring;
  thread_local size_t next = 0;
  for (const auto& each : ring)
    if (each.bytes.view().data() == bytes.view().data()
        && each.bytes.size() == bytes.size())
      return each.shown;
  auto& entry = ring[next++ % bodies];
  entry = {bytes, redacted(bytes.view())};
  return entry.shown;
}

void adopt_unknown_hashes(const json& from, json& into) {
  if (into.is_object() && from.is_object()) {
    if (const auto hash = into.find("sha256"); hash != into.end()
        && *hash == hash_unknown && from.contains("sha256")) {
      into = from;
      return;
    }
    for (auto& [key, value] : into.items())
      if (const auto found = from.find(key); found != from.end())
        adopt_unknown_hashes(*found, value);
  } else if (into.is_array() && from.is_array() && into.size() == from.size()) {
    for (size_t i = 0; i < into.size(); ++i)
      adopt_unknown_hashes(from[i], into[i]);
  }
}

std::string stand_in(size_t bytes, std::string_view sha256_start) {
  auto result = std::string{stand_in_mark} + std::to_string(bytes) + '~'
    + std::string{sha256_start};
  result.resize(std::max(result.size(), bytes), '.');
  return result;
}

json guarded_json(const secret& text) {
  return text.empty() ? json("") : redacted(text);
}

json guarded_json(const event_bytes& text) {
  return text.empty() ? json("") : redacted(text);
}

json guarded_json(const answer_bytes& text) {
  if (text.empty())
    return "";
  auto essence = matrix_essence(text);
  if (essence.empty())
    return redacted(text);
  return json{{"matrix", std::move(essence)}};
}

json guarded_json(const request_target& text) {
  const auto query = text.find('?');
  if (query == std::string::npos)
    return text_json(text);
  return json{{"path", text_json(text.substr(0, query))},
              {"query", redacted(std::string_view{text}.substr(query + 1))}};
}

bool read_guarded(const json& from, std::string& into, uint64_t& bytes_left) {
  if (read_text(from, into))
    return true;
  if (!from.is_object())
    return false;
  if (const auto essence = from.find("matrix"); essence != from.end()) {
    into = essence->dump(-1, ' ', false, json::error_handler_t::replace);
    return true;
  }
  if (from.contains("path") && from.contains("query")) {
    std::string path;
    std::string query;
    const bool both = read_text(from.at("path"), path)
      && read_guarded(from.at("query"), query, bytes_left);
    into = path + '?' + query;
    return both;
  }
  const auto length = from.find("len");
  const auto hash = from.find("sha256");
  if (length == from.end() || hash == from.end()
      || !length->is_number_unsigned() || !hash->is_string()
      || length->get<uint64_t>() > bytes_left
      || hash->get_ref<const std::string&>().size() != sha_digits)
    return false;
  bytes_left -= length->get<uint64_t>();
  into = stand_in(length->get<size_t>(), hash->get_ref<const std::string&>());
  return true;
}

bool is_open_field(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 5> open{
    "Retry-After", "Date", "Content-Type", "Content-Length", "Accept"};
  return std::any_of(open.begin(), open.end(), [&](std::string_view each) {
    return same_field_name(each, name);
  });
}

} // namespace weir::trace
