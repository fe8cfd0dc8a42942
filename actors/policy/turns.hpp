#pragma once

#include "schema/ids.hpp"

#include <deque>
#include <set>
#include <vector>

namespace weir::policy {

/// Appservices that each get one turn, one after the other, while the list of
/// them changes. Who waits keeps its place; who is on the list no more gets no
/// turn; who comes, or comes back, gets one at the end. Not thread-safe.
class turns {
public:
  /// The list from now on. The turn that is taken is finished.
  void use(const std::vector<appservice_id>& list);

  /// Nobody waits for a turn or has one.
  [[nodiscard]] bool over() const noexcept {
    return waiting_.empty();
  }

  /// Whose turn it is. Only when not `over`.
  [[nodiscard]] const appservice_id& current() const {
    return waiting_.front();
  }

  /// The current one has begun its turn, which may take a while.
  void begin() noexcept {
    begun_ = true;
  }
  [[nodiscard]] bool begun() const noexcept {
    return begun_;
  }

  /// Its turn goes on later: it keeps it.
  void again() noexcept {
    begun_ = false;
  }

  /// Its turn is over.
  void finish();

private:
  std::deque<appservice_id> waiting_; ///< The current one first.
  std::set<appservice_id> known_;     ///< The list as it was last given.
  bool begun_ = false;
};

} // namespace weir::policy
