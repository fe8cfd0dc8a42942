#include "actors/policy/catch_up.hpp"

#include <algorithm>

namespace weir::policy {

namespace {

catch_up_step refusal(token_refusal why) {
  return {catch_up_step::kind::refuse, {}, why};
}

} // namespace

milliseconds read_wait(std::optional<milliseconds> asked) noexcept {
  return std::clamp<milliseconds>(asked.value_or(limits::token_wait_default),
                                  milliseconds{0}, limits::token_wait_max);
}

catch_up_step catch_up::next(const token_standing& found,
                             instant now) noexcept {
  if (found.refused)
    return refusal(*found.refused);
  if (!found.behind)
    return {};
  if (now >= lost_at_)
    return refusal(token_refusal::beyond_store);
  if (now >= deadline_)
    return refusal(token_refusal::not_caught_up);
  const auto at = std::min({now + pause_, lost_at_, deadline_});
  pause_ = std::min<milliseconds>(2 * pause_, limits::token_look_last);
  return {catch_up_step::kind::look, at, {}};
}

} // namespace weir::policy
