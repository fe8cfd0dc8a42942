#pragma once

#include "schema/realm.hpp"
#include "schema/realm_limits.hpp"
#include "schema/time.hpp"

#include <boost/describe/class.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace weir::policy {

/// How many bytes a second leave, over the last half to whole minute, or since
/// the first left if that is less.
class drain_meter {
public:
  void add(uint64_t bytes, instant now);

  /// Bytes a second; 0 when nothing left.
  [[nodiscard]] double rate(instant now) const;

private:
  void advance(instant now);

  instant since_{};
  uint64_t current_ = 0;
  uint64_t before_ = 0; ///< Of the stretch before `since_`.
  instant::duration before_took_{0};
};

/// Bytes of realm events that are queued, bounded at the door (Q19, D5, G8).
///
/// Nothing that was accepted is dropped to make room, except what its producer
/// called lossy. The last part of each bound is for completions: a completion
/// outlives the beginning that was refused. A refusal says in how long there
/// will be room at the speed at which events leave now.
///
/// A realm with nothing queued has no state. Not thread-safe; owned by whoever
/// accepts, who tells of every change that is committed.
class realm_admission {
public:
  struct bounds {
    uint64_t realm_bytes = limits::realm_bytes_default;
    uint64_t all_bytes = limits::realms_bytes_default;
    /// Of each bound, for completions alone.
    double reserve = 0.05;
  };

  /// Why not, and what the producer is told.
  struct refusal {
    /// The realm's own bound: 429. Otherwise that of all: 503.
    bool by_realm = false;
    milliseconds retry_after{0}; ///< Whole seconds.
    /// Dropping the oldest lossy events of this realm would make room.
    std::optional<realm_id> drop_from;
  };

  explicit realm_admission(const bounds& within) : bounds_{within} {
  }

  void use_bounds(const bounds& within) {
    bounds_ = within;
  }

  /// Reserves for an event, or says why not: nothing has changed then.
  /// @param bytes See `queued_bytes` (realm_store_rules.hpp).
  /// @param paused_until Of the account; nothing leaves before.
  [[nodiscard]] std::optional<refusal> admit(const realm_id& realm,
                                             realm_class of, uint64_t bytes,
                                             instant now, instant paused_until);

  /// Queued already, at the start.
  void load(const realm_id& realm, realm_class of, uint64_t bytes);

  /// The event has left the queue: settled in every room, cancelled, dropped.
  void left(const realm_id& realm, realm_class of, uint64_t bytes, instant now);

  /// It was admitted and not stored, or merged away: no event left.
  void take_back(const realm_id& realm, realm_class of, uint64_t bytes);

  /// A queued event has another size now. Never refused: what merges makes the
  /// queue no longer than the event alone would have.
  void resized(const realm_id& realm, realm_class of, uint64_t before,
               uint64_t after);

  [[nodiscard]] uint64_t used() const noexcept {
    return used_;
  }
  [[nodiscard]] uint64_t used(const realm_id& realm) const;
  /// Realms with something queued.
  [[nodiscard]] size_t known() const noexcept {
    return realms_.size();
  }

private:
  struct share {
    uint64_t used = 0;
    uint64_t lossy = 0;
    drain_meter drained;
  };

  void add(const realm_id& realm, realm_class of, uint64_t bytes);
  void remove(const realm_id& realm, realm_class of, uint64_t bytes);
  [[nodiscard]] uint64_t bound_for(realm_class of, uint64_t bound) const;
  [[nodiscard]] std::optional<realm_id> most_lossy() const;

  bounds bounds_;
  uint64_t used_ = 0;
  drain_meter drained_;
  std::unordered_map<realm_id, share> realms_;
  std::set<std::pair<uint64_t, realm_id>> lossy_; ///< Bytes of each.
};

BOOST_DESCRIBE_STRUCT(realm_admission::bounds, (),
                      (realm_bytes, all_bytes, reserve))

/// The lines of one bulk request: after one that was refused all later ones of
/// its realm are refused too, with `ORG.WEIR.ORDER_HELD`, since sending the
/// first again would bring it behind them.
class bulk_order {
public:
  [[nodiscard]] bool is_held(const realm_id& realm) const {
    return held_.contains(realm);
  }
  void refused(const realm_id& realm) {
    held_.insert(realm);
  }

private:
  std::unordered_set<realm_id> held_;
};

} // namespace weir::policy
