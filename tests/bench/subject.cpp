#include "tests/bench/subject.hpp"

#include "tests/bench/events.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>

namespace bench {

namespace {

constexpr int64_t start_ns = 30'000'000'000;
constexpr int look_again_ms = 20;
const std::string local = "http://127.0.0.1:";

std::string id_of(size_t appservice) {
  return "bench" + std::to_string(appservice);
}

/// Readable by us alone: Weir refuses tokens that others can read.
void write_file(const std::string& path, const std::string& text) {
  ::close(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  std::ofstream{path} << text;
}

void write_registration(const std::string& folder, size_t appservice,
                        uint16_t bridge_port) {
  const auto id = id_of(appservice);
  write_file(folder + "/" + id + ".yaml",
             "id: " + id + "\nurl: " + local + std::to_string(bridge_port)
               + "\nas_token: as_token_of_" + id + "\nhs_token: "
               + subject::token(appservice) + "\nsender_localpart: bot_of_" + id
               + "\nnamespaces:\n  users:\n    - {regex: '@" + id
               + "_.*', exclusive: true}\n");
}

void write_configuration(const std::string& folder, uint16_t port,
                         uint16_t homeserver_port, bool traced) {
  write_file(
    folder + "/weir.yaml",
    "listen: 127.0.0.1:" + std::to_string(port)
      + "\nadmin:\n  listen: 127.0.0.1:" + std::to_string(free_port())
      + "\n  token_file: " + folder + "/admin.token\npublic_url: " + local
      + std::to_string(port) + "\nhomeserver:\n  name: bench\n  url: " + local
      + std::to_string(homeserver_port)
      + "\n  as_token: weir_bench_token\nstorage:\n  url: sqlite://" + folder
      + "/weir.db\nappservices:\n  registrations: [\"" + folder
      + "/bench*.yaml\"]\n" + (traced ? "trace: {file: trace.jsonl}\n" : ""));
}

} // namespace

subject::subject(contestant which, const places& at, const sink& bridges,
                 size_t appservices) {
  std::filesystem::remove_all(at.folder);
  std::filesystem::create_directories(at.folder);
  std::filesystem::permissions(at.folder, std::filesystem::perms::owner_all);
  const auto folder = std::filesystem::canonical(at.folder).string();
  if (which != contestant::reference) {
    ports_.assign(appservices, free_port());
    write_configuration(folder, ports_.front(), bridges.homeserver_port(),
                        which == contestant::weir_traced);
    for (size_t each = 0; each < appservices; ++each)
      write_registration(folder, each, bridges.bridge_port(each));
    start({at.weir, "serve", "--config", folder + "/weir.yaml"},
          folder + "/log");
  } else {
    std::vector<std::string> command{at.reference, folder + "/reference.db",
                                     at.migrations};
    for (size_t each = 0; each < appservices; ++each) {
      ports_.push_back(free_port());
      command.insert(command.end(),
                     {id_of(each), std::to_string(ports_.back()),
                      std::to_string(bridges.bridge_port(each)), token(each)});
    }
    start(command, folder + "/log");
  }
  wait_until_ready();
}

subject::~subject() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

uint16_t subject::port(size_t appservice) const {
  return ports_[appservice];
}

double subject::cpu_seconds() const {
  clockid_t clock{};
  timespec used{};
  // Unlike getrusage of children, good while the child lives: its start, which
  // is no part of any scenario, can be left out.
  if (::clock_getcpuclockid(pid_, &clock) != 0
      || ::clock_gettime(clock, &used) != 0)
    give_up("a child ended in the middle of its run");
  return static_cast<double>(used.tv_sec)
    + static_cast<double>(used.tv_nsec) / 1e9;
}

std::string subject::target(size_t appservice) {
  return "/_weir/as/" + id_of(appservice) + "/_matrix/app/v1/transactions/";
}

std::string subject::token(size_t appservice) {
  return "hs_token_of_" + id_of(appservice);
}

void subject::start(const std::vector<std::string>& command,
                    const std::string& log) {
  std::vector<char*> arguments;
  for (const auto& each : command)
    arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ != 0)
    return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int to = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::dup2(to, STDOUT_FILENO);
  ::dup2(to, STDERR_FILENO);
  ::execv(arguments.front(), arguments.data());
  ::_exit(127);
}

void subject::wait_until_ready() const {
  const auto latest = now_ns() + start_ns;
  for (size_t each = 0; each < ports_.size() && now_ns() < latest;) {
    if (auto made = connect_to(ports_[each]); made.open()) {
      wire on{std::move(made)};
      on.send("GET /ready HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", {});
      const auto answer = on.wait();
      if (answer && status_of(*answer) == 200) {
        ++each;
        continue;
      }
    }
    ::poll(nullptr, 0, look_again_ms);
  }
  if (now_ns() >= latest)
    give_up("a contestant does not start; its log is in the bench's folder");
}

} // namespace bench
