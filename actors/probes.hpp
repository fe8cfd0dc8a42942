#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace weir {

/// What /metrics tells of all actors of one kind. Shared by its actors, hence
/// atomic; nothing decides by it.
struct actor_probe {
  std::atomic<int64_t> live{0};
  std::atomic<int64_t> waiting{0}; ///< Messages in mailboxes.
  std::atomic<uint64_t> processed{0};
  std::atomic<uint64_t> failures{0}; ///< Handlers that threw.
};

/// The probes of one house, by kind of actor. The kinds are fixed by the code,
/// so the map is bounded.
class actor_probes {
public:
  actor_probe& of(const std::string& kind) {
    const std::lock_guard guard{mutex_};
    return probes_[kind];
  }

  template <class Visitor>
  void each(Visitor visit) const {
    const std::lock_guard guard{mutex_};
    for (const auto& [kind, probe] : probes_)
      visit(kind, probe);
  }

private:
  mutable std::mutex mutex_;
  std::map<std::string, actor_probe> probes_;
};

/// The probes of this process.
actor_probes& process_probes();

} // namespace weir
