// The test-only half of weir_stoppable: linked beside the real main, it sets
// what the stop points of the actors do before main begins.
//
// WEIR_STOP_AT=name:count   at the count-th passing of that point, the name is
//                           written to WEIR_STOP_FILE and the thread blocks
//                           until the parent sends SIGKILL.
// WEIR_THROW_AT=name:count  at the count-th passing an exception is thrown, as
//                           a bug in an actor would.

#include "actors/stop_points.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

/// One `name:count` of the environment.
class armed_point {
public:
  explicit armed_point(const char* variable) {
    const char* value = std::getenv(variable);
    const std::string_view text = value == nullptr ? "" : value;
    const auto colon = text.find(':');
    name_ = text.substr(0, colon);
    if (colon == std::string_view::npos)
      return;
    const auto digits = text.substr(colon + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), count_);
  }

  /// True exactly once: at the passing that was asked for.
  bool is_reached(std::string_view name) {
    return !name_.empty() && name == name_
      && passed_.fetch_add(1) + 1 == count_;
  }

private:
  std::string name_;
  int count_ = 1;
  std::atomic<int> passed_{0};
};

/// Appends the name to the file the parent watches.
void tell_parent(std::string_view name) {
  const char* path = std::getenv("WEIR_STOP_FILE");
  if (path == nullptr)
    return;
  const int file
    = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0)
    return;
  const std::string line = std::string{name} + "\n";
  [[maybe_unused]] const auto written = ::write(file, line.data(), line.size());
  ::close(file);
}

void at_stop_point(std::string_view name) {
  static armed_point stop{"WEIR_STOP_AT"};
  static armed_point thrown{"WEIR_THROW_AT"};
  if (stop.is_reached(name)) {
    tell_parent(name);
    for (;;)
      ::pause();
  }
  if (thrown.is_reached(name)) {
    tell_parent(name);
    throw std::runtime_error("a test asked for this failure");
  }
}

/// Runs before main, which is the real one.
const bool installed = [] {
  weir::install_stop_points(at_stop_point);
  return true;
}();

} // namespace
