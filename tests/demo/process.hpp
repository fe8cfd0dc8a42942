#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace demo {

/// A child process whose output goes to a file. It is killed with its owner,
/// and with the thread that started it.
class process {
public:
  process(const std::vector<std::string>& command, const std::string& log);
  ~process();
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  /// Ends the child as a power cut would, and waits until it is gone.
  void kill_now();

  /// Asks it to end and returns its exit status: -1 if a signal ended it, or
  /// if it was still there after `seconds` and had to be killed.
  int stop(int seconds);

private:
  pid_t pid_ = -1;
};

/// Lets other threads and processes work for a while.
void pause_ms(int milliseconds);

} // namespace demo
