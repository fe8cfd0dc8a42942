#include "persistence/data_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace weir {

namespace {

std::string reason() {
  return std::strerror(errno);
}

/// The process id that the holder wrote, if it has come to that.
std::string holder_of(int file) {
  std::array<char, 24> text{};
  const auto got = ::pread(file, text.data(), text.size(), 0);
  std::string id{text.data(), got > 0 ? static_cast<size_t>(got) : 0};
  id.erase(id.find_last_not_of('\n') + 1);
  return id.empty() ? "unknown" : id;
}

} // namespace

expected<data_lock> data_lock::acquire(const std::filesystem::path& folder) {
  const auto path = (folder / "weir.lock").string();
  const int file
    = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  const auto told = "data folder " + folder.string() + ": ";
  if (file < 0)
    return fail(ec::unavailable, told + "no lock file: " + reason());
  data_lock held{file};
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK)
      return fail(ec::unavailable, told + "no lock: " + reason());
    return fail(ec::busy, told + "in use by process " + holder_of(file));
  }
  // A help for the one who is refused; a full disk must not keep us from the
  // start that may free it.
  const auto id = std::to_string(::getpid()) + "\n";
  if (::ftruncate(file, 0) == 0)
    static_cast<void>(!::pwrite(file, id.data(), id.size(), 0));
  return held;
}

data_lock::data_lock(data_lock&& from) noexcept
  : file_{std::exchange(from.file_, -1)} {
}

data_lock& data_lock::operator=(data_lock&& from) noexcept {
  std::swap(file_, from.file_);
  return *this;
}

data_lock::~data_lock() {
  // The file stays: removing it would let two processes lock two files.
  if (file_ >= 0)
    ::close(file_);
}

} // namespace weir
