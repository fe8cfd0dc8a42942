#pragma once

#include <string>
#include <vector>

namespace bench {

/// What the disk below `folder` can do at this moment.
struct disk_rates {
  double syncs_per_second = 0; ///< 4 KiB appended, then fdatasync.
  double sync_ms = 0;          ///< Median of one such.
  double rows_per_second = 0;  ///< SQLite's C API, see `measure_disk`.
};

/// Appends to a plain file and syncs it, then inserts rows of 1 kB with one
/// index through SQLite's C API, 100 a commit, WAL and synchronous=FULL; about
/// a second each. Files are made in `folder` and removed.
disk_rates measure_disk(const std::string& folder);

/// Median of one small PUT and its answer to a port that answers at once, ms.
double measure_round_trip(unsigned short port);

} // namespace bench
