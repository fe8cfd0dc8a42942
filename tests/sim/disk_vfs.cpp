#include "schema/error.hpp"
#include "tests/sim/disk.hpp"
#include "tests/sim/disk_file.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <new>

// The disk as a file system of SQLite, for databases in WAL mode with all
// connections on one thread. Source: sqlite.org/vfs.html and sqlite3.h.
namespace weir::sim {

namespace {

disk* mounted = nullptr;

/// Milliseconds of the Julian day at which 1970 began.
constexpr sqlite3_int64 julian_epoch_ms = 210'866'760'000'000;
constexpr int path_bytes_max = 512;

/// SQLite gives us memory of this size; `base` must come first.
struct opened_file {
  sqlite3_file base;
  std::shared_ptr<disk_file> file;
  file_holder holder;
  std::string removed_at_close;
};

opened_file& of(sqlite3_file* file) {
  return *reinterpret_cast<opened_file*>(file);
}

int close_file(sqlite3_file* file) {
  auto& open = of(file);
  std::erase(open.file->holders, &open.holder);
  if (!open.removed_at_close.empty())
    mounted->remove(open.removed_at_close);
  open.~opened_file();
  return SQLITE_OK;
}

int read_file(sqlite3_file* file, void* to, int size, sqlite3_int64 at) {
  const auto& content = *of(file).file;
  const auto wanted = static_cast<size_t>(size);
  const auto from = std::min(static_cast<size_t>(at), content.bytes.size());
  const auto there = std::min(wanted, content.bytes.size() - from);
  std::memcpy(to, content.bytes.data() + from, there);
  if (content.lost)
    return SQLITE_IOERR_READ;
  if (there == wanted)
    return SQLITE_OK;
  std::memset(static_cast<char*>(to) + there, 0, wanted - there);
  return SQLITE_IOERR_SHORT_READ;
}

int write_file(sqlite3_file* file, const void* from, int size,
               sqlite3_int64 at) {
  auto& content = *of(file).file;
  if (content.lost)
    return SQLITE_IOERR_WRITE;
  const auto begin = static_cast<size_t>(at);
  const auto length = static_cast<size_t>(size);
  if (mounted->full() && begin + length > content.bytes.size())
    return SQLITE_FULL;
  content.write(begin, static_cast<const char*>(from), length);
  return SQLITE_OK;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  if (of(file).file->lost)
    return SQLITE_IOERR_TRUNCATE;
  of(file).file->truncate(static_cast<size_t>(size));
  return SQLITE_OK;
}

int sync_file(sqlite3_file* file, int) {
  if (of(file).file->lost || !mounted->flush())
    return SQLITE_IOERR_FSYNC;
  of(file).file->flush();
  return SQLITE_OK;
}

int size_of_file(sqlite3_file* file, sqlite3_int64* size) {
  *size = static_cast<sqlite3_int64>(of(file).file->bytes.size());
  return SQLITE_OK;
}

int lock_file(sqlite3_file* file, int level) {
  auto& open = of(file);
  const auto others = [&](int from) {
    return open.file->any_other(
      &open.holder, [&](const auto& each) { return each.level >= from; });
  };
  if (level <= open.holder.level)
    return SQLITE_OK;
  const bool busy = level == SQLITE_LOCK_SHARED ? others(SQLITE_LOCK_PENDING)
    : level == SQLITE_LOCK_RESERVED             ? others(SQLITE_LOCK_RESERVED)
                                                : others(SQLITE_LOCK_SHARED);
  if (busy)
    return SQLITE_BUSY;
  open.holder.level = level;
  return SQLITE_OK;
}

int unlock_file(sqlite3_file* file, int level) {
  auto& holder = of(file).holder;
  holder.level = std::min(holder.level, level);
  return SQLITE_OK;
}

int check_reserved(sqlite3_file* file, int* reserved) {
  const auto& open = of(file);
  *reserved = open.file->any_other(&open.holder, [](const auto& each) {
    return each.level >= SQLITE_LOCK_RESERVED;
  }) || open.holder.level >= SQLITE_LOCK_RESERVED;
  return SQLITE_OK;
}

int control_file(sqlite3_file*, int, void*) {
  return SQLITE_NOTFOUND;
}

int sector_size(sqlite3_file*) {
  return 4096;
}

int device_characteristics(sqlite3_file*) {
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

int map_wal_index(sqlite3_file* file, int region, int size, int extend,
                  void volatile** at) {
  auto& regions = of(file).file->wal_index;
  const auto wanted = static_cast<size_t>(region);
  *at = nullptr;
  while (regions.size() <= wanted && extend != 0)
    regions.push_back(std::make_unique<char[]>(static_cast<size_t>(size)));
  if (wanted < regions.size())
    *at = regions[wanted].get();
  return SQLITE_OK;
}

int lock_wal_index(sqlite3_file* file, int first, int count, int flags) {
  auto& open = of(file);
  const auto mask = ((1U << count) - 1U) << first;
  const auto taken
    = [&](auto test) { return open.file->any_other(&open.holder, test); };
  if ((flags & SQLITE_SHM_UNLOCK) != 0) {
    open.holder.shared &= ~mask;
    open.holder.exclusive &= ~mask;
    return SQLITE_OK;
  }
  if ((flags & SQLITE_SHM_SHARED) != 0) {
    if (taken([&](const auto& each) { return (each.exclusive & mask) != 0; }))
      return SQLITE_BUSY;
    open.holder.shared |= mask;
    return SQLITE_OK;
  }
  if (taken([&](const auto& each) {
        return ((each.exclusive | each.shared) & mask) != 0;
      }))
    return SQLITE_BUSY;
  open.holder.exclusive |= mask;
  return SQLITE_OK;
}

void wal_index_barrier(sqlite3_file*) {
}

int unmap_wal_index(sqlite3_file* file, int remove) {
  auto& open = of(file);
  open.holder.shared = open.holder.exclusive = 0;
  if (remove != 0 && open.file->holders.size() <= 1)
    open.file->wal_index.clear();
  return SQLITE_OK;
}

constexpr sqlite3_io_methods file_methods{2,
                                          close_file,
                                          read_file,
                                          write_file,
                                          truncate_file,
                                          sync_file,
                                          size_of_file,
                                          lock_file,
                                          unlock_file,
                                          check_reserved,
                                          control_file,
                                          sector_size,
                                          device_characteristics,
                                          map_wal_index,
                                          lock_wal_index,
                                          wal_index_barrier,
                                          unmap_wal_index,
                                          nullptr,
                                          nullptr};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags,
              int* flags_out) {
  file->pMethods = nullptr;
  auto content = mounted->open(name, (flags & SQLITE_OPEN_CREATE) != 0);
  if (!content)
    return SQLITE_CANTOPEN;
  auto* open = new (file) opened_file{{&file_methods}, content, {}, {}};
  content->holders.push_back(&open->holder);
  if ((flags & SQLITE_OPEN_DELETEONCLOSE) != 0 && name != nullptr)
    open->removed_at_close = name;
  if (flags_out != nullptr)
    *flags_out = flags;
  return SQLITE_OK;
}

int remove_file(sqlite3_vfs*, const char* name, int) {
  return mounted->remove(name) ? SQLITE_OK : SQLITE_IOERR_DELETE_NOENT;
}

int access_file(sqlite3_vfs*, const char* name, int, int* result) {
  *result = mounted->exists(name) ? 1 : 0;
  return SQLITE_OK;
}

int full_path(sqlite3_vfs*, const char* name, int size, char* to) {
  sqlite3_snprintf(size, to, "%s", name);
  return SQLITE_OK;
}

int random_bytes(sqlite3_vfs*, int size, char* to) {
  for (int i = 0; i < size; ++i)
    to[i] = static_cast<char>(mounted->random());
  return size;
}

/// Nobody else runs meanwhile, so waiting would change nothing.
int no_sleep(sqlite3_vfs*, int microseconds) {
  return microseconds;
}

int current_time_ms(sqlite3_vfs*, sqlite3_int64* at) {
  *at = mounted->clock().ms + julian_epoch_ms;
  return SQLITE_OK;
}

int current_time(sqlite3_vfs* vfs, double* day) {
  sqlite3_int64 ms = 0;
  current_time_ms(vfs, &ms);
  *day = static_cast<double>(ms) / 86'400'000.0;
  return SQLITE_OK;
}

int last_error(sqlite3_vfs*, int, char*) {
  return 0;
}

sqlite3_vfs file_system() {
  sqlite3_vfs result{};
  result.iVersion = 2;
  result.szOsFile = sizeof(opened_file);
  result.mxPathname = path_bytes_max;
  result.zName = "weir-sim";
  result.xOpen = open_file;
  result.xDelete = remove_file;
  result.xAccess = access_file;
  result.xFullPathname = full_path;
  result.xRandomness = random_bytes;
  result.xSleep = no_sleep;
  result.xCurrentTime = current_time;
  result.xGetLastError = last_error;
  result.xCurrentTimeInt64 = current_time_ms;
  return result;
}

void register_once() {
  static sqlite3_vfs registered = file_system();
  static const bool done = [] {
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    return sqlite3_vfs_register(&registered, 1) == SQLITE_OK;
  }();
  WEIR_ASSERT(done);
}

} // namespace

disk::disk() : clock{[] { return stored_time{1'700'000'000'000}; }} {
}

disk::~disk() {
  if (mounted == this)
    mounted = nullptr;
}

void disk::mount() {
  register_once();
  mounted = this;
}

} // namespace weir::sim
