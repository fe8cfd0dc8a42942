#pragma once

#include <string>
#include <vector>

namespace bench {

/// What the disk below `folder` can do at this moment.
struct disk_rates {
  double syncs_per_second = 0; ///< 4 KiB appended, then fdatasync.
  double rows_per_second = 0;  ///< SQLite's C API, see `measure_disk`.
};

/// Appends to a plain file and syncs it, then inserts rows of 1 kB with one
/// index through SQLite's C API, 100 a commit, WAL and synchronous=FULL; about
/// a second each. Files are made in `folder` and removed.
disk_rates measure_disk(const std::string& folder);

/// Medians in milliseconds: in a tight loop, and one each 20 ms, which is how
/// single events come. After a pause the same work takes longer: the disk, the
/// cores and their caches have gone to rest.
struct timing {
  double hot_ms = 0;
  double paced_ms = 0;
};

/// What a single event cannot do without.
struct floors {
  timing sync_page;  ///< A page of Weir's database appended, then fdatasync.
  timing sync_4k;    ///< The same of 4 KiB.
  timing round_trip; ///< A small PUT to a port that answers at once.
};

/// Measures them one after the other, some eight seconds in all. The round trip
/// goes to `port`.
floors measure_floors(const std::string& folder, unsigned short port);

} // namespace bench
