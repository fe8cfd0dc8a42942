#include "http/displacement.hpp"

namespace weir {

namespace {

bool goes_before(const standing& one, const standing& other) {
  if (one.has_served != other.has_served)
    return !one.has_served;
  return one.since < other.since;
}

} // namespace

void standing_now::let_in() noexcept {
  since_ = busy;
}

void standing_now::waits_again(bool has_served) noexcept {
  has_served_ = has_served_ || has_served;
  since_ = clock::now().time_since_epoch().count();
}

std::optional<standing> standing_now::get() const noexcept {
  const auto since = since_.load();
  if (since == busy)
    return std::nullopt;
  return standing{clock::time_point{clock::duration{since}}, has_served_};
}

std::optional<size_t> displaced(std::span<const std::optional<standing>> all) {
  std::optional<size_t> chosen;
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i] && (!chosen || goes_before(*all[i], *all[*chosen])))
      chosen = i;
  return chosen;
}

} // namespace weir
