#pragma once

#include "schema/ids.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace weir {

/// How much may be passed on at once.
struct passed_on_bounds {
  size_t per_bridge = 0; ///< Unanswered requests to one bridge.
  size_t in_all = 0;     ///< And to all of them.
};

/// A homeserver asks a bridge for a few things at a time; so many unanswered
/// ones are those of a bridge that hangs.
inline constexpr size_t passed_on_per_bridge_max = 64;

/// From how many connections a listener takes. Whoever waits for a bridge holds
/// one of them: all bridges that hang take half of them at most, one of them a
/// quarter, so that transactions find room.
passed_on_bounds passed_on_bounds_for(size_t connections_max);

/// How long a bridge that let a request wait in vain counts as silent.
inline constexpr std::chrono::seconds silence_remembered{30};

/// What is on its way to each bridge and not answered yet, and which bridges
/// let their askers wait in vain. Thread-safe. Holds entries of bridges with
/// something under way, or silent: no more than are configured.
class passed_on {
public:
  /// Room for one request: given back with the last copy. Null: there is none.
  using place = std::shared_ptr<const void>;

  explicit passed_on(passed_on_bounds bounds)
    : shared_{std::make_shared<state>(bounds)} {
  }

  [[nodiscard]] place enter(const appservice_id& bridge);

  /// The bridge was given its whole time and did not answer.
  void waited_in_vain(const appservice_id& bridge, instant now);
  /// It answered something.
  void answered(const appservice_id& bridge);
  /// Whether it is to be waited for less (D6). Ends by itself, so that one
  /// request at least tries what the whole time brings.
  [[nodiscard]] bool is_silent(const appservice_id& bridge, instant now) const;

  [[nodiscard]] const passed_on_bounds& bounds() const noexcept {
    return shared_->bounds;
  }

private:
  struct door {
    size_t under_way = 0;
    instant silent_until{};
  };
  /// Outlives the routes when a request does.
  struct state {
    explicit state(passed_on_bounds all) : bounds{all} {
    }
    void leave(const appservice_id& bridge);
    void drop_if_unused(const appservice_id& bridge);

    const passed_on_bounds bounds;
    std::mutex mutex;
    std::unordered_map<appservice_id, door> doors;
    size_t under_way = 0;
  };

  std::shared_ptr<state> shared_;
};

} // namespace weir
