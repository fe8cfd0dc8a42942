#include "schema/limits.hpp"
#include "tests/fuzz/properties.hpp"
#include "tests/support/token_samples.hpp"

namespace weir::test {

namespace {

/// What must hold of any text that is given as a token.
std::string broken_text(const token_codec& codec, std::string_view text) {
  const auto opened = codec.open(text);
  if (!opened)
    return answer_to(opened.error()).status == 400 ? "" : "not told as wrong";
  if (text.size() > limits::token_chars_max)
    return "taken though it is too long";
  const auto& content = opened.value();
  uint32_t last = 0;
  for (const auto& each : content.at.positions()) {
    if (each.slot <= last || each.pos == 0)
      return "slots out of order, or one at 0";
    last = each.slot;
  }
  if (content.kind == token_kind::bound
      && (content.at.positions().size() != 1 || content.page))
    return "a bound to something else than one position";
  const auto again = codec.seal(content);
  if (!again || again.value() != text)
    return "what it says has another text";
  return "";
}

} // namespace

std::string broken_token_property(std::string_view bytes) {
  const auto codec = sample_codec();
  if (auto broken = broken_text(codec, bytes); !broken.empty())
    return broken;
  // The reader behind the signature, which no fuzzer finds.
  return broken_text(codec, signed_text(std::string{bytes}));
}

} // namespace weir::test
