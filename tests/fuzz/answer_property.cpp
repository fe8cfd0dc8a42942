#include "actors/policy/verdict.hpp"
#include "http/client/answer_reader.hpp"
#include "schema/limits.hpp"
#include "tests/fuzz/properties.hpp"

namespace weir::test {

namespace {

constexpr size_t body_bytes_max = 512;

/// The first byte chooses how the rest is read, so that the fuzzer does.
struct reading {
  answer_reader::bounds bounds;
  bool closes = false; ///< In good order, else cut.
  size_t piece = 1;    ///< Bytes that arrive at a time.
};

reading chosen_by(char first) {
  const auto bits = static_cast<unsigned char>(first);
  reading how;
  how.bounds = {body_bytes_max, (bits & 1) != 0, (bits & 2) != 0};
  how.closes = (bits & 4) != 0;
  how.piece = 1 + (bits >> 3);
  return how;
}

http_answer read_in_pieces(const reading& how, std::string_view bytes,
                           size_t piece) {
  answer_reader reader{how.bounds};
  while (!bytes.empty() && !reader.finished()) {
    const auto some = bytes.substr(0, piece);
    reader.feed(some);
    bytes.remove_prefix(some.size());
  }
  if (!reader.finished()) {
    if (how.closes)
      reader.end_of_stream();
    else
      reader.cut(no_answer::reset, "cut");
  }
  return reader.take();
}

} // namespace

std::string broken_answer_property(std::string_view bytes) {
  if (bytes.empty())
    return "";
  const auto how = chosen_by(bytes.front());
  bytes.remove_prefix(1);
  const auto whole = read_in_pieces(how, bytes, bytes.size());
  const auto pieces = read_in_pieces(how, bytes, how.piece);
  if (whole.status != pieces.status || whole.fields != pieces.fields)
    return "the answer depends on its pieces";
  // A body that is cut short ends wherever the bytes ended that were there.
  if (whole.body.size() > body_bytes_max || pieces.body.size() > body_bytes_max)
    return "a body beyond its bound";
  const stored_time now{1'700'000'000'000};
  const auto verdict = policy::judge(whole, now);
  // A head cut short may be told as reset or as malformed; it means the same.
  if (verdict.kind != policy::judge(pieces, now).kind)
    return "the verdict depends on the pieces";
  if (verdict.cause.empty())
    return "a verdict without a cause";
  if (verdict.retry_after
      && (verdict.retry_after->count() < 0
          || *verdict.retry_after > limits::retry_after_max))
    return "a pause beyond its bound";
  const bool acknowledged = verdict.kind == policy::verdict_kind::accepted;
  if (acknowledged != (whole.status >= 200 && whole.status < 300))
    return "acknowledged without a 2xx, or not with one";
  return "";
}

} // namespace weir::test
