#pragma once

#include "persistence/rows.hpp"
#include "schema/error.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weir {

/// Tables `dead_letter` and `quarantine`: what could not be delivered or not be
/// understood, kept for a person. Runs inside the writer's open batch.
class keep_store {
public:
  /// One kept thing without its bytes.
  struct kept_size {
    int64_t id = 0;
    uint64_t bytes = 0;
    friend bool operator==(const kept_size&, const kept_size&) = default;
  };

  /// Bytes that are held of one appservice.
  struct kept_bytes {
    uint64_t letters = 0;
    uint64_t bodies = 0;
    friend bool operator==(const kept_bytes&, const kept_bytes&) = default;
  };

  virtual ~keep_store() = default;

  /// Keeps one element for good. Returns its id. A letter with the same
  /// appservice and `letter_digest` that is already there gives its id.
  virtual expected<int64_t> bury(const dead_letter_row& row) = 0;

  /// Letters of one appservice with ids above `after` and up to `until`, whole
  /// and in order of id: at most `rows_max`, and stopping after the row with
  /// which their bytes pass `bytes_max` (so never empty because of one large
  /// letter).
  virtual expected<std::vector<dead_letter_row>>
  read_letters(const appservice_id& of, int64_t after, int64_t until,
               size_t rows_max, size_t bytes_max)
    = 0;

  /// The highest id of an appservice's letters; 0 when it has none.
  virtual expected<int64_t> last_letter(const appservice_id& of) = 0;

  /// Deletes letters of one appservice by id. Returns how many there were.
  virtual expected<uint64_t> remove_letters(const appservice_id& of,
                                            std::span<const int64_t> ids)
    = 0;

  /// Counts a body whose bytes are there already for this appservice. False:
  /// they are not.
  virtual expected<bool> count_quarantined(const quarantine_row& row) = 0;

  /// Keeps a body, or counts it when the same bytes of this appservice are
  /// there already. Returns its id.
  virtual expected<int64_t> quarantine(const quarantine_row& row) = 0;

  /// Bodies of one appservice with ids above `after` and up to `until`, in
  /// order of id: bounded as `read_letters`.
  virtual expected<std::vector<kept_size>>
  next_quarantined(const appservice_id& of, int64_t after, int64_t until,
                   size_t rows_max, size_t bytes_max)
    = 0;

  /// As `last_letter` and `remove_letters`, of bodies.
  virtual expected<int64_t> last_quarantined(const appservice_id& of) = 0;
  virtual expected<uint64_t> remove_quarantined(const appservice_id& of,
                                                std::span<const int64_t> ids)
    = 0;

  /// Bytes held by dead letters, by quarantined bodies. Read from a total that
  /// each row's coming and going keeps, so asked for before each addition.
  virtual expected<uint64_t> dead_letter_bytes() = 0;
  virtual expected<uint64_t> quarantine_bytes() = 0;

  /// The same of one appservice.
  virtual expected<kept_bytes> held_by(const appservice_id& of) = 0;
};

} // namespace weir
