#include "tests/support/database/postgresql_keeper.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h> // NOLINT(modernize-deprecated-headers): POSIX.
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

// Two lock files settle who may do what. `start` is held while the server is
// started or stopped. `use` is held shared by each user until its end; when the
// keeper gets it alone, nobody uses the server.
namespace weir::test {

namespace {

namespace fs = std::filesystem;

/// Between two programs of one test run lies less than this.
constexpr int idle_looks = 3;
/// A start on a busy machine.
constexpr int start_tries = 600;
constexpr int start_pause_ms = 50;
/// How often the keeper looks whether it is needed.
constexpr int idle_look_ms = 1'000;

[[noreturn]] void broken(const std::string& what) {
  throw std::runtime_error{"PostgreSQL for tests: " + what};
}

/// A folder for the programs of one build folder.
fs::path home() {
  const auto programs = fs::read_symlink("/proc/self/exe").parent_path();
  const auto mark = std::hash<std::string>{}(programs.string());
  return fs::temp_directory_path()
    / ("weir-test-postgresql-" + std::to_string(::getuid()) + "-"
       + std::to_string(mark));
}

fs::path newest_programs() {
  std::vector<fs::path> found;
  const fs::path root{"/usr/lib/postgresql"};
  if (fs::exists(root)) {
    for (const auto& each : fs::directory_iterator{root}) {
      if (fs::exists(each.path() / "bin" / "initdb"))
        found.push_back(each.path() / "bin");
    }
  }
  if (found.empty())
    broken("not installed");
  return *std::max_element(found.begin(), found.end());
}

int open_lock(const fs::path& path) {
  const int opened = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (opened < 0)
    broken("no lock file");
  return opened;
}

uint16_t free_port() {
  const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof where;
  const bool bound
    = ::bind(probe, reinterpret_cast<sockaddr*>(&where), size) == 0
    && ::getsockname(probe, reinterpret_cast<sockaddr*>(&where), &size) == 0;
  ::close(probe);
  if (!bound)
    broken("no free port");
  return ntohs(where.sin_port);
}

bool answers(uint16_t port) {
  const auto where
    = "postgresql://weir@127.0.0.1:" + std::to_string(port) + "/postgres";
  return PQping(where.c_str()) == PQPING_OK;
}

/// Becomes the program, as user postgres when we are root: PostgreSQL refuses
/// to run as root. Output goes to the log.
[[noreturn]] void become(const std::vector<std::string>& arguments,
                         const fs::path& log) {
  const int out
    = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  if (::getuid() == 0) {
    const auto* user = ::getpwnam("postgres");
    if (user == nullptr || ::setgid(user->pw_gid) != 0
        || ::setuid(user->pw_uid) != 0)
      ::_exit(1);
  }
  // The server goes with its keeper.
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
  std::vector<char*> words;
  for (const auto& each : arguments)
    words.push_back(const_cast<char*>(each.c_str()));
  words.push_back(nullptr);
  ::execv(words.front(), words.data());
  ::_exit(1);
}

void make_data(const fs::path& at) {
  fs::remove_all(at / "data");
  fs::create_directories(at / "data");
  if (::getuid() == 0) {
    const auto* user = ::getpwnam("postgres");
    if (user == nullptr
        || ::chown((at / "data").c_str(), user->pw_uid, user->pw_gid) != 0)
      broken("no user postgres");
  }
  const std::vector<std::string> arguments{
    (newest_programs() / "initdb").string(),
    "--pgdata=" + (at / "data").string(),
    "--username=weir",
    "--auth=trust",
    "--encoding=UTF8",
    "--locale=C.UTF-8",
    "--no-sync"};
  const pid_t child = ::fork();
  if (child == 0)
    become(arguments, at / "log");
  int status = 0;
  if (::waitpid(child, &status, 0) != child || status != 0)
    broken("initdb failed, see " + (at / "log").string());
}

pid_t start_server(const fs::path& at, uint16_t port) {
  const std::vector<std::string> arguments{
    (newest_programs() / "postgres").string(),
    "-D",
    (at / "data").string(),
    "-p",
    std::to_string(port),
    "-k",
    (at / "data").string(),
    "-c",
    "listen_addresses=127.0.0.1",
    "-c",
    "fsync=off",
    "-c",
    "full_page_writes=off",
    "-c",
    "shared_buffers=32MB"};
  const pid_t child = ::fork();
  if (child == 0)
    become(arguments, at / "log");
  return child;
}

/// Whether nobody uses the server nor is about to. Keeps both locks if so.
bool unused(int start, int use) {
  if (::flock(use, LOCK_EX | LOCK_NB) != 0)
    return false;
  if (::flock(start, LOCK_EX | LOCK_NB) == 0)
    return true;
  ::flock(use, LOCK_UN);
  return false;
}

/// Waits until nobody needs the server any more, ends it and tidies up.
[[noreturn]] void keep(const fs::path& at, pid_t server) {
  const int start = open_lock(at / "start");
  const int use = open_lock(at / "use");
  int idle = 0;
  bool alive = true;
  while (alive && idle < idle_looks) {
    ::poll(nullptr, 0, idle_look_ms);
    alive = ::waitpid(server, nullptr, WNOHANG) == 0;
    if (!unused(start, use)) {
      idle = 0;
      continue;
    }
    if (++idle < idle_looks) {
      ::flock(start, LOCK_UN);
      ::flock(use, LOCK_UN);
    }
  }
  if (alive) {
    ::kill(server, SIGQUIT);
    ::waitpid(server, nullptr, 0);
  }
  std::error_code ignored;
  fs::remove(at / "port", ignored);
  fs::remove_all(at / "data", ignored);
  ::_exit(0);
}

/// Starts a process that outlives this one and holds none of its files, so that
/// whoever waits for our output is not kept waiting.
void start_keeper(const fs::path& at, uint16_t port) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setsid();
    if (::fork() != 0)
      ::_exit(0);
    const int nothing = ::open("/dev/null", O_RDWR);
    for (const int standard : {0, 1, 2})
      ::dup2(nothing, standard);
    for (int other = 3; other < 1024; ++other)
      ::close(other);
    keep(at, start_server(at, port));
  }
  ::waitpid(child, nullptr, 0);
}

} // namespace

uint16_t use_postgresql_server() {
  const auto at = home();
  fs::create_directories(at);
  const int start = open_lock(at / "start");
  ::flock(start, LOCK_EX);
  // Held, and never closed, until this process ends.
  const int use = open_lock(at / "use");
  ::flock(use, LOCK_SH);
  uint16_t port = 0;
  std::ifstream{at / "port"} >> port;
  if (port == 0 || !answers(port)) {
    make_data(at);
    port = free_port();
    start_keeper(at, port);
    int tries = 0;
    while (!answers(port)) {
      if (++tries > start_tries)
        broken("the server does not start, see " + (at / "log").string());
      ::poll(nullptr, 0, start_pause_ms);
    }
    std::ofstream{at / "port"} << port;
  }
  ::close(start);
  return port;
}

} // namespace weir::test
