#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace weir {

/// Immutable bytes that many may hold: a transaction body travels from the
/// store to the socket without a copy.
class shared_bytes {
public:
  shared_bytes() = default;
  explicit shared_bytes(std::string bytes)
    : bytes_{std::make_shared<const std::string>(std::move(bytes))} {
  }

  [[nodiscard]] std::string_view view() const noexcept {
    return bytes_ ? std::string_view{*bytes_} : std::string_view{};
  }
  [[nodiscard]] size_t size() const noexcept {
    return bytes_ ? bytes_->size() : 0;
  }
  [[nodiscard]] bool empty() const noexcept {
    return size() == 0;
  }

  friend bool operator==(const shared_bytes& a, const shared_bytes& b) {
    return a.view() == b.view();
  }

private:
  std::shared_ptr<const std::string> bytes_;
};

} // namespace weir
