#include "http/cli/export_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

namespace weir {

namespace {

std::string part_of(const std::string& path) {
  return path + ".part";
}

auto failed(ec code, const std::string& path) {
  return fail(code, path + ": " + std::strerror(errno));
}

/// So that the name is on disk, too.
bool sync_folder(const std::string& path) {
  auto folder = std::filesystem::path{path}.parent_path();
  if (folder.empty())
    folder = ".";
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0)
    return false;
  const bool synced = ::fsync(opened) == 0;
  ::close(opened);
  return synced;
}

} // namespace

export_file::export_file(int file, std::string path)
  : file_{file},
    path_{std::move(path)} {
}

export_file::export_file(export_file&& other) noexcept
  : file_{std::exchange(other.file_, -1)},
    path_{std::move(other.path_)} {
}

export_file::~export_file() {
  if (file_ < 0)
    return;
  ::close(file_);
  ::unlink(part_of(path_).c_str());
}

expected<export_file> export_file::make(const std::string& path) {
  std::error_code none;
  if (std::filesystem::exists(path, none))
    return fail(ec::rejected, path + ": there is such a file already");
  const int file = ::open(part_of(path).c_str(),
                          O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0)
    return failed(ec::rejected, part_of(path));
  return export_file{file, path};
}

expected<void> export_file::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return failed(ec::unavailable, part_of(path_));
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return ok();
}

expected<void> export_file::finish() {
  if (::fsync(file_) != 0
      || std::rename(part_of(path_).c_str(), path_.c_str()) != 0
      || !sync_folder(path_))
    return failed(ec::unavailable, path_);
  ::close(std::exchange(file_, -1));
  return ok();
}

} // namespace weir
