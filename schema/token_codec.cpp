#include "schema/token_codec.hpp"

#include "schema/base64.hpp"
#include "schema/hash.hpp"
#include "schema/limits.hpp"

#include <algorithm>

namespace weir {

namespace {

constexpr std::string_view prefix = "wt1_";
/// Of HMAC-SHA-256, of which 80 bits would do (T6).
constexpr size_t mac_bytes = 16;
constexpr size_t hash_bytes = 8;
/// Both databases count up to here.
constexpr uint64_t position_max = INT64_MAX;

/// The first byte of a body: its kind, and whether it has a page.
constexpr uint8_t bound_mark = 1;
constexpr uint8_t cursor_mark = 2;
constexpr uint8_t page_mark = 3;

constexpr unsigned varint_bits = 7;
constexpr uint8_t varint_goes_on = 0x80;

void put_varint(std::string& to, uint64_t number) {
  while (number >= varint_goes_on) {
    to.push_back(static_cast<char>(number | varint_goes_on));
    number >>= varint_bits;
  }
  to.push_back(static_cast<char>(number));
}

void put_hash(std::string& to, uint64_t hash) {
  for (int shift = 56; shift >= 0; shift -= 8)
    to.push_back(static_cast<char>(hash >> shift & 0xFFU));
}

/// Takes a body apart from its front. What is not there, or not in its one
/// form, leaves it broken, and everything after that is nothing.
class body_reader {
public:
  explicit body_reader(std::string_view body) : rest_{body} {
  }

  uint8_t byte() {
    if (rest_.empty()) {
      broken_ = true;
      return 0;
    }
    const auto first = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return first;
  }

  /// Refuses what does not fit 64 bits, and zeros at its end, which would be a
  /// second spelling.
  uint64_t varint(uint64_t max = UINT64_MAX) {
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += varint_bits) {
      const auto next = byte();
      const uint64_t bits = next & (varint_goes_on - 1U);
      if (bits << shift >> shift != bits)
        break;
      number |= bits << shift;
      if ((next & varint_goes_on) != 0)
        continue;
      broken_ = broken_ || number > max || (next == 0 && shift > 0);
      return broken_ ? 0 : number;
    }
    broken_ = true;
    return 0;
  }

  uint64_t hash() {
    uint64_t bits = 0;
    for (size_t at = 0; at < hash_bytes; ++at)
      bits = bits << 8U | byte();
    return bits;
  }

  std::string bytes(size_t count) {
    if (count > rest_.size()) {
      broken_ = true;
      return {};
    }
    std::string taken{rest_.substr(0, count)};
    rest_.remove_prefix(count);
    return taken;
  }

  void expect(bool holds) {
    broken_ = broken_ || !holds;
  }
  /// Whether all was there and nothing else.
  [[nodiscard]] bool whole() const noexcept {
    return !broken_ && rest_.empty();
  }
  [[nodiscard]] bool broken() const noexcept {
    return broken_;
  }

private:
  std::string_view rest_;
  bool broken_ = false;
};

uint8_t mark_of(const token_content& content) {
  if (content.kind == token_kind::bound)
    return bound_mark;
  return content.page ? page_mark : cursor_mark;
}

/// What every writer of a token must keep to.
void check_content(const token_content& content) {
  const auto positions = content.at.positions();
  const bool is_bound = content.kind == token_kind::bound;
  WEIR_ASSERT(!is_bound || (positions.size() == 1 && !content.page));
  WEIR_ASSERT(!is_bound || content.filter == 0);
  WEIR_ASSERT(std::ranges::all_of(positions, [](const auto& each) {
    return each.slot > 0 && each.pos <= position_max;
  }));
}

std::string body_of(const token_content& content, uint32_t key_id) {
  std::string body;
  body.push_back(static_cast<char>(mark_of(content)));
  put_varint(body, key_id);
  put_hash(body, content.principal);
  if (content.kind == token_kind::cursor) {
    put_hash(body, content.filter);
    put_varint(body, content.at.positions().size());
  }
  for (const auto& each : content.at.positions()) {
    put_varint(body, each.slot);
    put_varint(body, each.run);
    put_varint(body, each.pos);
  }
  if (content.page) {
    body.push_back(content.page->backwards ? 1 : 0);
    put_varint(body, content.page->last_key.size());
    body.append(content.page->last_key);
  }
  return body;
}

void read_positions(body_reader& from, size_t count, position_vector& to) {
  uint32_t last = 0;
  for (size_t at = 0; at < count && !from.broken(); ++at) {
    slot_position next;
    next.slot = static_cast<uint32_t>(from.varint(UINT32_MAX));
    next.run = from.varint();
    next.pos = from.varint(position_max);
    from.expect(next.slot > last && next.pos > 0);
    last = next.slot;
    to.raise(next);
  }
}

/// What a body says that has our signature.
judged<token_content> read_body(std::string_view body) {
  body_reader from{body};
  const auto mark = from.byte();
  from.expect(mark >= bound_mark && mark <= page_mark);
  from.varint(UINT32_MAX); // The key, which is known by now.
  token_content content;
  content.principal = from.hash();
  size_t slots = 1;
  if (mark != bound_mark) {
    content.kind = token_kind::cursor;
    content.filter = from.hash();
    slots = from.varint(limits::token_slots_max);
  }
  read_positions(from, slots, content.at);
  if (mark == page_mark) {
    auto& page = content.page.emplace();
    const auto direction = from.byte();
    from.expect(direction <= 1);
    page.backwards = direction == 1;
    page.last_key = from.bytes(from.varint(limits::token_page_key_max));
  }
  if (!from.whole())
    return refuse(token_refusal::malformed);
  return content;
}

/// Covers the version too.
std::string mac_of(std::string_view secret, std::string_view body) {
  return hmac_sha256(secret, std::string{prefix}.append(body))
    .substr(0, mac_bytes);
}

/// `wt`, a number and `_`: what later versions will look like.
bool is_later_version(std::string_view text) {
  if (!text.starts_with(prefix.substr(0, 2)))
    return false;
  text.remove_prefix(2);
  const auto digits = text.find_first_not_of("0123456789");
  return digits != text.npos && digits > 0 && text[digits] == '_'
    && text.front() != '0' && text.substr(0, digits) != "1";
}

} // namespace

uint64_t token_hash(std::string_view text) {
  return sha256_head(text);
}

expected<std::string> token_codec::seal(const token_content& content) const {
  check_content(content);
  const auto& key = keys_.current();
  auto body = body_of(content, key.id);
  body.append(mac_of(key.secret, body));
  auto text = std::string{prefix} + to_base64url(body);
  if (text.size() > limits::token_chars_max
      || content.at.positions().size() > limits::token_slots_max
      || (content.page
          && content.page->last_key.size() > limits::token_page_key_max))
    return fail(ec::too_large, "token: more slots or a longer key than fit");
  return text;
}

judged<token_content> token_codec::open(std::string_view text) const {
  if (text.size() > limits::token_chars_max)
    return refuse(token_refusal::malformed);
  if (!text.starts_with(prefix))
    return refuse(is_later_version(text) ? token_refusal::newer_version
                                         : token_refusal::malformed);
  const auto signed_body = from_base64url(text.substr(prefix.size()));
  if (!signed_body || signed_body->size() <= mac_bytes)
    return refuse(token_refusal::malformed);
  const std::string_view whole{*signed_body};
  const auto body = whole.substr(0, whole.size() - mac_bytes);
  // Nothing else is looked at before the signature holds.
  body_reader from{body};
  from.byte();
  const auto* const key
    = keys_.find(static_cast<uint32_t>(from.varint(UINT32_MAX)));
  if (key == nullptr
      || !equal_in_constant_time(mac_of(key->secret, body),
                                 whole.substr(body.size())))
    return refuse(token_refusal::not_ours);
  return read_body(body);
}

} // namespace weir
