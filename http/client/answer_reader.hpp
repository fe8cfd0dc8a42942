#pragma once

#include "schema/http.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace weir {

/// Turns the bytes that a peer sends into one answer. No socket, no clock.
///
/// A whole head decides: what happens to the body after it cannot turn an
/// answer into a failure, unless the request wants its body whole. So a peer
/// that accepts a push and then garbles its body has accepted it.
/// Not thread-safe; owned by one exchange.
class answer_reader {
public:
  struct bounds {
    size_t body_bytes_max = 0;
    bool whole_body = false;
    bool body_expected = true; ///< False for HEAD.
  };

  explicit answer_reader(bounds limits);
  ~answer_reader();
  answer_reader(answer_reader&&) noexcept;
  answer_reader& operator=(answer_reader&&) noexcept;

  /// Takes what was read. Nothing may be fed after `finished`.
  void feed(std::string_view bytes);
  /// The peer closed in good order; that ends a body without length.
  void end_of_stream();
  /// There will be nothing more: an error, a deadline, an abort.
  void cut(no_answer why, std::string detail);

  [[nodiscard]] bool finished() const noexcept;
  [[nodiscard]] bool head_whole() const noexcept;
  /// Not one byte has come: on a kept connection it may have died while idle.
  [[nodiscard]] bool untouched() const noexcept;
  /// The peer left the connection fit for another request.
  [[nodiscard]] bool reusable() const noexcept;

  /// Once, when finished.
  http_answer take();

private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

} // namespace weir
