#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weir {

/// Which kept connections wait for which peer. Only bookkeeping: it closes
/// nothing and has no clock. Not thread-safe; owned by the client, under its
/// lock. Every connection handed out has left the pool.
template <class Connection>
class idle_pool {
public:
  using pointer = std::shared_ptr<Connection>;

  explicit idle_pool(size_t per_peer_max) : per_peer_max_{per_peer_max} {
  }

  /// The connection kept last for `peer`, the least likely to be dead, or null.
  pointer take(const std::string& peer) {
    const auto found = peers_.find(peer);
    return found == peers_.end() ? nullptr : remove(found->second.back());
  }

  /// Takes one in. When the peer has its share already, false: close it.
  [[nodiscard]] bool keep(const std::string& peer, pointer connection) {
    const auto found = peers_.find(peer);
    const size_t kept = found == peers_.end() ? 0 : found->second.size();
    if (kept >= per_peer_max_)
      return false;
    entries_.push_back({peer, std::move(connection)});
    peers_[peer].push_back(std::prev(entries_.end()));
    return true;
  }

  /// Forgets one that died while idle. False when it was taken before.
  bool drop(const std::string& peer, const Connection* connection) {
    const auto found = peers_.find(peer);
    if (found == peers_.end())
      return false;
    for (const auto one : found->second)
      if (one->connection.get() == connection)
        return remove(one) != nullptr;
    return false;
  }

  /// The one that has waited longest for any peer, or null.
  pointer take_oldest() {
    return entries_.empty() ? nullptr : remove(entries_.begin());
  }

  std::vector<pointer> take_all() {
    std::vector<pointer> all;
    while (auto oldest = take_oldest())
      all.push_back(std::move(oldest));
    return all;
  }

  [[nodiscard]] size_t size() const noexcept {
    return entries_.size();
  }

private:
  struct entry {
    std::string peer;
    pointer connection;
  };
  using entry_iterator = typename std::list<entry>::iterator;

  pointer remove(entry_iterator gone) {
    const auto peer = peers_.find(gone->peer);
    std::erase(peer->second, gone);
    if (peer->second.empty())
      peers_.erase(peer);
    auto connection = std::move(gone->connection);
    entries_.erase(gone);
    return connection;
  }

  size_t per_peer_max_;
  std::list<entry> entries_; ///< Oldest first.
  std::unordered_map<std::string, std::vector<entry_iterator>> peers_;
};

} // namespace weir
