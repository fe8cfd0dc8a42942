#pragma once

#include "actors/policy/overflow.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// What an operator's selection of dead letters comes to in one commit.
namespace weir::policy {

/// The named letters that are next: above `after`, each once, rising, at most
/// `most`.
[[nodiscard]] std::vector<int64_t> next_letters(std::span<const int64_t> named,
                                                int64_t after, size_t most);

/// How many of `sizes`, from the first on, an outbox takes back: as at the
/// door, until it is full, whatever its `overflow` is. Nothing is given up for
/// what was given up before.
[[nodiscard]] size_t letters_taken(std::span<const uint64_t> sizes,
                                   queue_fill held, const queue_bounds& bounds);

} // namespace weir::policy
