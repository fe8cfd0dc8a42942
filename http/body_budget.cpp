#include "http/body_budget.hpp"

#include <utility>

namespace weir {

namespace {

/// Outside the lock, since a waker may ask again.
void wake(const std::vector<std::function<void()>>& granted) {
  for (const auto& waker : granted)
    waker();
}

} // namespace

body_budget::wakers body_budget::serve_line() {
  wakers granted;
  for (const auto ticket : admission_.admit()) {
    auto& next = *line_.extract(ticket).mapped();
    next.ticket_ = 0;
    next.held_ = true;
    granted.push_back(std::move(next.granted_));
  }
  return granted;
}

uint64_t body_budget::used() const {
  const std::lock_guard lock{mutex_};
  return admission_.used();
}

void body_budget::claim::ask(uint64_t bytes, std::function<void()> granted) {
  const std::lock_guard lock{budget_.mutex_};
  bytes_ = bytes;
  held_ = budget_.admission_.try_reserve(bytes);
  if (held_)
    return;
  // A connection keeps its own deadline and leaves the line by its end.
  ticket_ = budget_.admission_.wait(bytes, instant::max());
  granted_ = std::move(granted);
  budget_.line_.emplace(ticket_, this);
}

bool body_budget::claim::held() const {
  const std::lock_guard lock{budget_.mutex_};
  return held_;
}

void body_budget::claim::shrink_to(uint64_t bytes) {
  wakers granted;
  {
    const std::lock_guard lock{budget_.mutex_};
    if (!held_ || bytes >= bytes_)
      return;
    budget_.admission_.release(bytes_ - bytes);
    bytes_ = bytes;
    granted = budget_.serve_line();
  }
  wake(granted);
}

body_budget::claim::~claim() {
  wakers granted;
  {
    const std::lock_guard lock{budget_.mutex_};
    if (held_)
      budget_.admission_.release(bytes_);
    budget_.admission_.forget(ticket_);
    budget_.line_.erase(ticket_);
    granted = budget_.serve_line();
  }
  wake(granted);
}

} // namespace weir
