#pragma once

#include <atomic>
#include <cstdint>

namespace weir {

/// What /metrics tells of all writers.
struct store_probe {
  std::atomic<uint64_t> commits{0};
  std::atomic<uint64_t> operations{0};
  std::atomic<uint64_t> rows{0}; ///< As the batches were planned.
  std::atomic<uint64_t> failed_batches{0};
  std::atomic<uint64_t> expired_operations{0};
  std::atomic<uint64_t> in_doubt_commits{0};
  std::atomic<uint64_t> clock_jumps{0};
  std::atomic<uint64_t> commit_microseconds{0};
  std::atomic<uint64_t> position{0};
  std::atomic<bool> writable{false};
};

/// The probe of this process.
store_probe& process_store_probe();

} // namespace weir
