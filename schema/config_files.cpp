#include "schema/config_files.hpp"

#include "schema/config_values.hpp"
#include "schema/hash.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace weir {

namespace {

/// An open file that is closed when it goes.
class file_handle {
public:
  explicit file_handle(int descriptor) : descriptor_{descriptor} {
  }
  file_handle(const file_handle&) = delete;
  file_handle& operator=(const file_handle&) = delete;
  ~file_handle() {
    if (descriptor_ >= 0)
      ::close(descriptor_);
  }
  [[nodiscard]] int get() const noexcept {
    return descriptor_;
  }
  [[nodiscard]] bool is_open() const noexcept {
    return descriptor_ >= 0;
  }

private:
  int descriptor_;
};

std::string reason_of(int number) {
  return std::system_category().message(number);
}

auto failed(ec code, const std::string& path, int number) {
  return fail(code, fmt::format("{}: {}", path, reason_of(number)));
}

expected<std::string> read_all(const file_handle& file, const std::string& path,
                               size_t bytes_max) {
  std::string bytes;
  std::array<char, 16 << 10> part{};
  while (true) {
    const auto count = ::read(file.get(), part.data(), part.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return failed(ec::unavailable, path, errno);
    if (count == 0)
      return bytes;
    bytes.append(part.data(), static_cast<size_t>(count));
    if (bytes.size() > bytes_max)
      return fail(
        ec::too_large,
        fmt::format("{}: larger than {}", path, show_size(bytes_max)));
  }
}

expected<void> write_all(const file_handle& file, const std::string& path,
                         std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = ::write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return failed(ec::unavailable, path, errno);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  if (::fsync(file.get()) != 0)
    return failed(ec::unavailable, path, errno);
  return ok();
}

std::string folder_of(const std::string& path) {
  const auto folder = std::filesystem::path{path}.parent_path().string();
  return folder.empty() ? "." : folder;
}

/// Writes beside `path`, under a name that nobody reads, and returns it.
expected<std::string> write_beside(const std::string& path,
                                   std::string_view bytes) {
  auto name = path + ".XXXXXX";
  const file_handle file{::mkostemp(name.data(), O_CLOEXEC)}; // Mode 0600.
  if (!file.is_open())
    return failed(ec::unavailable, path, errno);
  if (auto written = write_all(file, path, bytes); !written) {
    ::unlink(name.c_str());
    return fail(written.error());
  }
  return name;
}

/// A new name is durable only when its folder is.
expected<void> sync_folder(const std::string& path) {
  const auto folder = folder_of(path);
  const file_handle file{
    ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!file.is_open() || ::fsync(file.get()) != 0)
    return failed(ec::unavailable, folder, errno);
  return ok();
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const auto first = text.find_first_not_of(space);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(space) - first + 1);
}

} // namespace

expected<file_text> read_file(const std::string& path, size_t bytes_max) {
  // Without waiting, lest a pipe in the file's place hold us for ever.
  const file_handle file{
    ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file.is_open())
    return failed(errno == ENOENT || errno == ENOTDIR ? ec::not_found
                                                      : ec::forbidden,
                  path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0)
    return failed(ec::unavailable, path, errno);
  if (!S_ISREG(status.st_mode))
    return fail(ec::invalid_argument, path + ": not a file");
  WEIR_TRY(auto bytes, read_all(file, path, bytes_max));
  return file_text{std::move(bytes), (status.st_mode & S_IRWXO) != 0};
}

expected<std::string> read_token_file(const std::string& path) {
  WEIR_TRY(auto text, read_file(path, token_bytes_max + 16));
  if (text.others_may_read)
    return fail(ec::forbidden,
                path
                  + ": others may read this token file, run "
                    "chmod o-rwx on it");
  const auto token = trimmed(text.bytes);
  if (auto checked = check_token(token); !checked)
    return fail(ec::invalid_argument, path + ": " + checked.error().context);
  return std::string{token};
}

expected<std::string> ensure_token_file(const std::string& path) {
  auto present = read_token_file(path);
  if (present || present.error().code != ec::not_found)
    return present;
  WEIR_TRY(make_private_file(path, new_token() + "\n"));
  return read_token_file(path);
}

expected<void> make_private_file(const std::string& path,
                                 std::string_view bytes) {
  WEIR_TRY(auto name, write_beside(path, bytes));
  // A link, unlike a rename, never replaces what another process just made.
  const bool linked = ::link(name.c_str(), path.c_str()) == 0;
  const int failure = errno;
  ::unlink(name.c_str());
  if (!linked && failure != EEXIST)
    return failed(ec::unavailable, path, failure);
  return sync_folder(path);
}

expected<void> write_private_file(const std::string& path,
                                  std::string_view bytes) {
  WEIR_TRY(auto name, write_beside(path, bytes));
  if (::rename(name.c_str(), path.c_str()) != 0) {
    const int failure = errno;
    ::unlink(name.c_str());
    return failed(ec::unavailable, path, failure);
  }
  return sync_folder(path);
}

std::string new_token() {
  constexpr size_t token_bytes = 32;
  return random_hex(token_bytes);
}

std::string token_fingerprint(std::string_view token) {
  constexpr size_t shown_digits = 8;
  return sha256_hex(token).substr(0, shown_digits);
}

} // namespace weir
