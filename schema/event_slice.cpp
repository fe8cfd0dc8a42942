#include "schema/event_slice.hpp"

#include "schema/hash.hpp"
#include "schema/json_string.hpp"

namespace weir {

namespace {

bool has_escapes(std::string_view raw) {
  return raw.find('\\') != std::string_view::npos;
}

bool is_event_id_key(std::string_view raw_key) {
  constexpr std::string_view name = "event_id";
  return raw_key == name
    || (has_escapes(raw_key) && unescape_json(raw_key) == name);
}

/// The event id a raw JSON value stands for; empty if it is none that can be
/// stored as text.
std::string event_id_of(std::string_view raw) {
  if (!raw.starts_with('"'))
    return {};
  raw = raw.substr(1, raw.size() - 2);
  if (!has_escapes(raw))
    return std::string{raw};
  auto id = unescape_json(raw);
  if (holds_lone_surrogate(id) || id.find('\0') != std::string::npos)
    return {};
  return id;
}

} // namespace

bool pass_event(json_cursor& from, std::string& event_id) {
  return from.members([&](std::string_view raw_key) {
    std::string_view raw;
    if (!from.value(raw))
      return false;
    if (is_event_id_key(raw_key))
      event_id = event_id_of(raw);
    return true;
  });
}

element make_element(lane kind, std::string keys, std::string_view raw,
                     std::string event_id) {
  const auto hash = sha256_head(event_id.empty() ? raw : event_id);
  return {.kind = kind,
          .keys = std::move(keys),
          .bytes = std::string{raw},
          .event_id = std::move(event_id),
          .id_hash = hash};
}

} // namespace weir
