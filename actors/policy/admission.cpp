#include "actors/policy/admission.hpp"

#include "schema/error.hpp"

namespace weir::policy {

bool admission::try_reserve(uint64_t bytes) {
  if (bytes == 0)
    return true;
  if (!line_.empty() || !fits(bytes))
    return false;
  used_ += bytes;
  return true;
}

void admission::release(uint64_t bytes) {
  WEIR_ASSERT(bytes <= used_);
  used_ -= bytes;
}

uint64_t admission::wait(uint64_t bytes, instant until) {
  line_.push_back({++last_ticket_, bytes, until});
  return last_ticket_;
}

std::vector<uint64_t> admission::admit() {
  std::vector<uint64_t> admitted;
  while (!line_.empty() && fits(line_.front().bytes)) {
    used_ += line_.front().bytes;
    admitted.push_back(line_.front().ticket);
    line_.pop_front();
  }
  return admitted;
}

std::vector<uint64_t> admission::expire(instant now) {
  std::vector<uint64_t> expired;
  std::erase_if(line_, [&](const waiter& each) {
    if (each.until > now)
      return false;
    expired.push_back(each.ticket);
    return true;
  });
  return expired;
}

void admission::forget(uint64_t ticket) {
  std::erase_if(line_,
                [ticket](const waiter& each) { return each.ticket == ticket; });
}

bool admission::fits(uint64_t bytes) const noexcept {
  return bytes == 0 || used_ == 0
    || (used_ <= budget_ && bytes <= budget_ - used_);
}

} // namespace weir::policy
