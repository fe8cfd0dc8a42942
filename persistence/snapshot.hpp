#pragma once

#include "persistence/store.hpp"
#include "persistence/store_snapshot.hpp"
#include "persistence/tokens.hpp"
#include "schema/store_history.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <variant>

namespace weir {

/// What a read must be as new as. Empty: it wants what there is now.
struct read_demand {
  std::optional<known_cursor> since; ///< Where its listing goes on.
  std::optional<known_token> after;
};

/// A snapshot of the store that covers what its reader has seen: the only way
/// to a row by a token. `View` is the listing that is read from it and the one
/// class that reaches into it, so that what was opened for one listing serves
/// no other. Made by `snapshot_opener` only; cannot be copied, and dies when it
/// is used after it was moved from. Belongs to the thread of its reader.
///
/// How it is built: docs/stream-tokens.md.
template <class View>
class caught_up_snapshot {
public:
  caught_up_snapshot(caught_up_snapshot&&) noexcept = default;
  caught_up_snapshot& operator=(caught_up_snapshot&&) noexcept = default;
  caught_up_snapshot(const caught_up_snapshot&) = delete;
  caught_up_snapshot& operator=(const caught_up_snapshot&) = delete;
  ~caught_up_snapshot() = default;

  /// Of how the store was; covers what the reader has seen.
  [[nodiscard]] const position_vector& at() const noexcept {
    WEIR_ASSERT(open_); // Moved from it would look like a store without rows.
    return at_;
  }

  /// What the answer's token says after this page: at least what the reader's
  /// own token did, slot by slot. The page must be of this snapshot.
  [[nodiscard]] read_position
  token_after(const typename View::page& page) const {
    WEIR_ASSERT(open_ && page.seen_ == at_);
    return read_position{joined(since_, page.read_to_)};
  }

private:
  friend View;
  friend class snapshot_opener;

  caught_up_snapshot(std::unique_ptr<store_snapshot> open, position_vector at,
                     position_vector since)
    : open_{std::move(open)},
      at_{std::move(at)},
      since_{std::move(since)} {
  }

  [[nodiscard]] store_snapshot& rows() const {
    WEIR_ASSERT(open_);
    return *open_;
  }

  std::unique_ptr<store_snapshot> open_;
  position_vector at_;
  position_vector since_;
};

/// What an attempt came to: the snapshot, or how it stands to the demand, in
/// which case it is closed again, so that who waits holds no connection.
template <class View>
using snapshot_attempt = std::variant<caught_up_snapshot<View>, token_standing>;

/// Opens snapshots and compares them with what their readers have seen.
class snapshot_opener {
public:
  /// Opens one snapshot, reads the slots in it and compares. Whether to try
  /// again is for policy::catch_up to say. Errors: `ec::unavailable`.
  template <class View>
  static expected<snapshot_attempt<View>> attempt(store_reader& from,
                                                  const read_demand& demand) {
    WEIR_TRY(auto found, look(from, demand, View::forgets));
    if (!found.how.covered())
      return snapshot_attempt<View>{found.how};
    return snapshot_attempt<View>{caught_up_snapshot<View>{
      std::move(found.open), std::move(found.at),
      demand.since ? demand.since->at() : position_vector{}}};
  }

private:
  struct looked {
    std::unique_ptr<store_snapshot> open;
    token_standing how;
    position_vector at;
  };
  static expected<looked> look(store_reader& from, const read_demand& demand,
                               bool forgets);
};

} // namespace weir
