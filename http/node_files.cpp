#include "http/node_files.hpp"

#include "schema/hash.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace weir {

namespace {

constexpr size_t token_bytes = 32;
constexpr size_t node_name_bytes = 8;
constexpr size_t file_bytes_max = 4096;

std::string reason() {
  return std::strerror(errno);
}

/// Writes a new file that only we can read. A file that came about meanwhile
/// is left alone, so that two starts agree on one token.
expected<void> write_new(const std::string& path, const std::string& text) {
  const auto temporary = path + ".new." + std::to_string(::getpid());
  const int file
    = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0)
    return fail(ec::unavailable, temporary + ": " + reason());
  const bool written = ::write(file, text.data(), text.size())
      == static_cast<ssize_t>(text.size())
    && ::fsync(file) == 0;
  const auto what = reason();
  ::close(file);
  const bool linked = written
    && (::link(temporary.c_str(), path.c_str()) == 0 || errno == EEXIST);
  ::unlink(temporary.c_str());
  if (!linked)
    return fail(ec::unavailable, path + ": " + (written ? reason() : what));
  return ok();
}

expected<std::string> read_private(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0)
    return fail(errno == ENOENT ? ec::not_found : ec::unavailable,
                path + ": " + reason());
  if ((about.st_mode & 0077) != 0)
    return fail(ec::forbidden, path + ": can be read by others; chmod 600");
  std::ifstream file{path};
  std::string text(file_bytes_max, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  if (text.empty())
    return fail(ec::unavailable, path + ": is empty");
  return text;
}

expected<std::string> read_or_make(const std::string& path, size_t bytes) {
  auto found = read_private(path);
  if (found || found.error().code != ec::not_found)
    return found;
  WEIR_TRY(write_new(path, random_hex(bytes) + "\n"));
  return read_private(path);
}

} // namespace

expected<std::string> node_name(const std::string& data_dir) {
  return read_or_make(data_dir + "/node_id", node_name_bytes);
}

expected<std::string> bearer_token(const std::string& path, bool make) {
  return make ? read_or_make(path, token_bytes) : read_private(path);
}

expected<void> make_data_dir(const std::string& data_dir) {
  std::error_code failed;
  if (std::filesystem::is_directory(data_dir, failed))
    return ok();
  std::filesystem::create_directories(data_dir, failed);
  if (failed)
    return fail(ec::unavailable, data_dir + ": " + failed.message());
  std::filesystem::permissions(data_dir, std::filesystem::perms::owner_all,
                               failed);
  return ok();
}

} // namespace weir
