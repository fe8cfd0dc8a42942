#include "tests/demo/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace demo {

namespace {

/// Forks and executes; between the two only what is safe beside other threads.
pid_t start(const std::vector<std::string>& command, const std::string& log) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const auto& word : command)
    words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0)
    std::abort();
  if (pid > 0)
    return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int out
    = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, S_IRUSR | S_IWUSR);
  const int none = ::open("/dev/null", O_RDONLY);
  ::dup2(none, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  ::execv(words.front(), words.data());
  ::_exit(127);
}

} // namespace

process::process(const std::vector<std::string>& command,
                 const std::string& log)
  : pid_{start(command, log)} {
}

process::~process() {
  kill_now();
}

void process::kill_now() {
  if (pid_ < 0)
    return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

int process::stop(int seconds) {
  ::kill(pid_, SIGTERM);
  constexpr int step_ms = 20;
  for (int waited = 0; waited < seconds * 1000; waited += step_ms) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    pause_ms(step_ms);
  }
  kill_now();
  return -1;
}

void pause_ms(int milliseconds) {
  ::poll(nullptr, 0, milliseconds);
}

} // namespace demo
