// Shows Weir's main job: a homeserver's transactions reach a bridge in order,
// once, although Weir is killed in the middle.
// usage: weir_demo WEIR_BINARY FOLDER   (where to make a folder for state)

#include "tests/demo/bridge.hpp"
#include "tests/demo/process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <thread>

namespace {

using namespace demo;

constexpr int transactions = 120;
constexpr int events_per_transaction = 5;
constexpr int kill_after = transactions / 2;
/// Slower than Weir accepts, so that a backlog stands when it is killed.
constexpr int bridge_work_ms = 25;
constexpr int start_seconds = 30;
constexpr int deliver_seconds = 120;
constexpr int drain_seconds = 30;

/// What the demonstration needs to know of the Weir that it starts.
struct setting {
  std::string binary;
  std::string folder;
  uint16_t port = free_port();
  uint16_t admin_port = free_port();
};

std::string event_id(int number) {
  return "$demo" + std::to_string(number);
}

std::string transaction_body(int transaction) {
  std::string body = R"({"events":[)";
  for (int i = 0; i < events_per_transaction; ++i) {
    const int number = transaction * events_per_transaction + i;
    body += std::string{i == 0 ? "" : ","} + R"({"type":"m.room.message",)"
      + R"("room_id":"!demo:demo.localhost","event_id":")" + event_id(number)
      + R"(","sender":"@someone:demo.localhost",)"
      + R"("content":{"msgtype":"m.text","body":"number )"
      + std::to_string(number) + R"("}})";
  }
  return body + "]}";
}

/// Readable by us alone: Weir refuses tokens that others can read.
void write_file(const std::string& path, const std::string& text) {
  ::close(::open(path.c_str(), O_WRONLY | O_CREAT, 0600));
  std::ofstream{path} << text;
}

void write_configuration(const setting& weir, uint16_t homeserver_port,
                         uint16_t bridge_port) {
  const std::string local = "http://127.0.0.1:";
  write_file(weir.folder + "/bridge.yaml",
             "id: demo\nurl: " + local + std::to_string(bridge_port)
               + "\nas_token: demo_as_token\nhs_token: demo_hs_token\n"
                 "sender_localpart: demobot\nnamespaces:\n  users:\n"
                 "    - {regex: '@demo_.*', exclusive: true}\n");
  write_file(
    weir.folder + "/weir.yaml",
    "listen: 127.0.0.1:" + std::to_string(weir.port)
      + "\nadmin:\n  listen: 127.0.0.1:" + std::to_string(weir.admin_port)
      + "\n  token_file: " + weir.folder + "/admin.token\npublic_url: " + local
      + std::to_string(weir.port) + "\nhomeserver:\n  name: demo.localhost\n"
      + "  url: " + local + std::to_string(homeserver_port)
      + "\n  as_token: demo_weir_token\nstorage:\n  url: sqlite://"
      + weir.folder + "/weir.db\nappservices:\n  registrations: [\""
      + weir.folder + "/bridge.yaml\"]\n");
}

std::unique_ptr<process> start_weir(const setting& weir) {
  auto child = std::make_unique<process>(
    std::vector<std::string>{weir.binary, "serve", "--config",
                             weir.folder + "/weir.yaml"},
    weir.folder + "/weir.log");
  constexpr int step_ms = 50;
  for (int waited = 0; waited < start_seconds * 1000; waited += step_ms) {
    if (ask(weir.port, "GET", "/ready", "", "", 5) == 200)
      return child;
    pause_ms(step_ms);
  }
  return nullptr;
}

/// Pushes one transaction as a homeserver does: again until it is taken.
/// False if it never was.
bool push(const setting& weir, int transaction) {
  constexpr int tries_max = 200;
  for (int tries = 0; tries < tries_max; ++tries) {
    if (ask(weir.port, "PUT",
            "/_weir/as/demo/_matrix/app/v1/transactions/"
              + std::to_string(transaction),
            "demo_hs_token", transaction_body(transaction), 60)
        == 200)
      return true;
    pause_ms(50);
  }
  return false;
}

bridge_record wait_for(const bridge& receiver, size_t events) {
  constexpr int step_ms = 50;
  for (int waited = 0; waited < deliver_seconds * 1000; waited += step_ms) {
    if (receiver.seen().events.size() >= events)
      break;
    pause_ms(step_ms);
  }
  return receiver.seen();
}

/// Says what arrived; true if that is everything, once, in order.
bool judge(const bridge_record& seen, int sent) {
  size_t in_order = 0;
  for (size_t i = 0; i < seen.events.size(); ++i)
    in_order += seen.events[i] == event_id(static_cast<int>(i));
  const std::set<std::string> distinct{seen.events.begin(), seen.events.end()};
  const auto owed = static_cast<size_t>(sent);
  std::printf("sent        %d events in %d transactions\n"
              "received    %zu events in %zu transactions\n"
              "missing     %zu\nduplicates  %zu\norder       %s\n"
              "retries     %zu with the same id and bytes, %zu altered\n",
              sent, sent / events_per_transaction, seen.events.size(),
              seen.transactions, owed - std::min(owed, distinct.size()),
              seen.events.size() - distinct.size(),
              in_order == seen.events.size() ? "kept" : "BROKEN", seen.repeats,
              seen.altered);
  return in_order == owed && seen.events.size() == owed && seen.altered == 0;
}

/// Kills the running Weir and starts another on the same store, while the
/// homeserver goes on pushing.
void crash(const setting& weir, std::unique_ptr<process>& running,
           const bridge& receiver) {
  running->kill_now();
  std::printf("killed Weir (SIGKILL) with %zu events at the bridge\n",
              receiver.seen().events.size());
  running = start_weir(weir);
  std::printf(running ? "started it again on the same store\n"
                      : "it did not get ready again\n");
}

/// Pushes every transaction, with a crash on the way; false if one was refused
/// for good.
bool push_all(const setting& weir, std::unique_ptr<process>& running,
              const bridge& receiver) {
  std::atomic<int> taken{0};
  std::atomic<bool> gave_up{false};
  std::thread homeserver{[&] {
    while (taken < transactions && !gave_up) {
      if (push(weir, taken))
        ++taken;
      else
        gave_up = true;
    }
  }};
  while (taken < kill_after && !gave_up)
    pause_ms(1);
  std::printf("%d events acknowledged to the homeserver so far\n",
              taken * events_per_transaction);
  crash(weir, running, receiver);
  if (!running)
    gave_up = true;
  homeserver.join();
  return taken == transactions && running;
}

bool show(const setting& weir) {
  http_peer homeserver{[](const incoming&) { return answer{}; }};
  bridge receiver{bridge_work_ms};
  write_configuration(weir, homeserver.port(), receiver.port());
  auto running = start_weir(weir);
  if (!running) {
    std::printf("Weir did not get ready\n");
    return false;
  }
  std::printf("Weir is ready on port %u; the bridge takes %d ms for a "
              "transaction\n",
              weir.port, bridge_work_ms);
  if (!push_all(weir, running, receiver)) {
    std::printf("a transaction was not taken\n");
    return false;
  }
  constexpr int sent = transactions * events_per_transaction;
  const bool whole = judge(wait_for(receiver, sent), sent);
  const int status = running->stop(drain_seconds);
  std::printf("asked Weir to end: exit status %d\n", status);
  std::printf("%s\n",
              whole && status == 0 ? "everything arrived once and in order"
                                   : "NOT everything is as it should be");
  return whole && status == 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: weir_demo WEIR_BINARY FOLDER\n");
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  auto folder = std::filesystem::absolute(argv[2]).string() + "/demo.XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) {
    std::fprintf(stderr, "no folder can be made in %s\n", argv[2]);
    return 2;
  }
  if (!show({argv[1], folder})) {
    std::printf("what Weir said is in %s/weir.log\n", folder.c_str());
    return 1;
  }
  std::filesystem::remove_all(folder);
  return 0;
}
