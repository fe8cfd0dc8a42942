#pragma once

#include "schema/ids.hpp"
#include "schema/time.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weir {

/// What is known at the door of each bridge: written by the actors, read by the
/// listener before it reads a body, and by /metrics. Hints: the store decides,
/// and an old hint costs a wait or a body read in vain.
class bridge_board {
public:
  explicit bridge_board(const std::vector<appservice_id>& appservices) {
    learn(appservices);
  }

  /// Takes up those that a reload added. Nobody is forgotten: who asks may
  /// still hold what was known before.
  void learn(const std::vector<appservice_id>& appservices) {
    const std::unique_lock guard{mutex_};
    for (const auto& id : appservices)
      bridges_.try_emplace(id);
  }

  /// The last send found no connection: the listener waits less for it (D6).
  void set_unreachable(const appservice_id& id, bool unreachable) {
    if (auto* of = find(id))
      of->unreachable = unreachable;
  }
  [[nodiscard]] bool is_unreachable(const appservice_id& id) const {
    const auto* of = find(id);
    return of != nullptr && of->unreachable;
  }

  /// Its queue is at its bound: requests wait outside, unread (R23).
  void set_full(const appservice_id& id, bool full) {
    if (auto* of = find(id))
      of->full = full;
  }
  [[nodiscard]] bool is_full(const appservice_id& id) const {
    const auto* of = find(id);
    return of != nullptr && of->full;
  }

  /// Since when something is under way to it; `instant{}`: nothing is.
  void set_sending(const appservice_id& id, instant since) {
    if (auto* of = find(id))
      of->sending_since = since;
  }
  [[nodiscard]] instant sending_since(const appservice_id& id) const {
    const auto* of = find(id);
    return of == nullptr ? instant{} : of->sending_since.load();
  }

  /// Transactions that are held while the store is away or a queue is full.
  [[nodiscard]] uint64_t held() const {
    return held_;
  }

private:
  friend class held_mark;
  struct flags {
    std::atomic<bool> unreachable{false};
    std::atomic<bool> full{false};
    std::atomic<instant> sending_since{instant{}};
  };
  /// An entry stays where it is for as long as the board lives.
  [[nodiscard]] flags* find(const appservice_id& id) const {
    const std::shared_lock guard{mutex_};
    const auto found = bridges_.find(id);
    return found == bridges_.end() ? nullptr : &found->second;
  }

  mutable std::shared_mutex mutex_;
  mutable std::unordered_map<appservice_id, flags> bridges_;
  std::atomic<uint64_t> held_{0};
};

/// On the board, if there is one: for /metrics, where a commit for each send
/// would cost too much.
inline void show_sending(const std::shared_ptr<bridge_board>& board,
                         const appservice_id& id, instant since) {
  if (board)
    board->set_sending(id, since);
}

/// Counts one transaction as held for as long as it lives.
class held_mark {
public:
  held_mark() = default;
  explicit held_mark(std::shared_ptr<bridge_board> board)
    : board_{std::move(board)} {
    if (board_)
      ++board_->held_;
  }
  held_mark(held_mark&& other) noexcept
    : board_{std::exchange(other.board_, nullptr)} {
  }
  held_mark& operator=(held_mark&& other) noexcept {
    std::swap(board_, other.board_);
    return *this;
  }
  ~held_mark() {
    if (board_)
      --board_->held_;
  }

private:
  std::shared_ptr<bridge_board> board_;
};

} // namespace weir
