#include "tests/support/database/small_disk.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <string>

namespace weir::test {

namespace {

[[noreturn]] void refused(const std::string& what) {
  throw std::runtime_error{"small disk: " + what + " is not allowed here"};
}

/// Gives this thread a view of the mounts of its own; without the right to, by
/// way of a user namespace in which we are root.
void leave_mounts() {
  if (::unshare(CLONE_NEWNS) == 0)
    return;
  const auto user = std::to_string(::getuid());
  const auto group = std::to_string(::getgid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
    refused("a mount namespace");
  std::ofstream{"/proc/self/setgroups"} << "deny";
  std::ofstream{"/proc/self/uid_map"} << "0 " << user << " 1";
  std::ofstream{"/proc/self/gid_map"} << "0 " << group << " 1";
}

} // namespace

small_disk::small_disk(size_t megabytes) {
  leave_mounts();
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    refused("a private mount");
  const auto options = "mode=700,size=" + std::to_string(megabytes) + "m";
  if (::mount("weir-test", path().c_str(), "tmpfs", 0, options.c_str()) != 0)
    refused("a mount");
}

small_disk::~small_disk() {
  ::umount2(path().c_str(), MNT_DETACH);
}

void small_disk::fill() const {
  const int file = ::open((path() / "filler").c_str(),
                          O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string block(4096, 'x');
  while (::write(file, block.data(), block.size()) > 0) {
  }
  ::close(file);
}

void small_disk::free() const {
  std::filesystem::remove(path() / "filler");
}

} // namespace weir::test
