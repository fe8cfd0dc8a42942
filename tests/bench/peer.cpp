// Load and bridge for the scripts of the bench that bring up the rest.
// usage: weir_bench_peer fill PORT APPSERVICE TRANSACTIONS
//        weir_bench_peer drain PORT MESSAGES
// fill: a homeserver that sends transactions of 100 events of 1 kB, one after
// the other, and ends when the last is accepted. drain: a bridge that begins to
// listen, answers 200 to anything at once, and ends when it has the messages.
// Both print one JSON line of what was done; drain prints "listening" first.

#include "tests/bench/load.hpp"
#include "tests/bench/subject.hpp"

#include <poll.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace bench;

/// Longer than the slowest of those that are compared takes for its backlog.
constexpr int64_t patience_ns = 300'000'000'000;

int fill(uint16_t port, size_t appservice, uint64_t transactions) {
  homeserver from{port, subject::target(appservice),
                  subject::token(appservice)};
  const load_plan plan{.transactions = transactions};
  const auto times = from.run(plan);
  const auto took = times.ended_ns - times.sent_ns.front();
  std::printf("{\"events\":%llu,\"seconds\":%.3f}\n",
              static_cast<unsigned long long>(transactions) * plan.events,
              static_cast<double>(took) / 1e9);
  return 0;
}

/// Each message event says so once, as a homeserver writes it and as the load
/// of the bench does.
uint64_t messages_in(std::string_view body) {
  constexpr std::string_view mark = R"("m.room.message")";
  uint64_t found = 0;
  for (auto at = body.find(mark); at != std::string_view::npos;
       at = body.find(mark, at + mark.size()))
    ++found;
  return found;
}

class draining_bridge {
public:
  explicit draining_bridge(uint16_t port) : door_{listen_on_loopback(port)} {
  }

  void run(uint64_t messages) {
    while (messages_ < messages) {
      std::vector<pollfd> ready{{door_.socket.get(), POLLIN, 0}};
      for (const auto& each : peers_)
        ready.push_back({each.socket(), POLLIN, 0});
      const auto left = begun_ + patience_ns - now_ns();
      if (left <= 0
          || ::poll(ready.data(), ready.size(),
                    static_cast<int>(left / 1'000'000) + 1)
            <= 0)
        give_up("only " + std::to_string(messages_) + " messages came");
      // Backwards, so that an erased peer moves none that is still to be seen.
      for (size_t at = ready.size(); at-- > 1;)
        if (ready[at].revents != 0 && !take_from(peers_[at - 1]))
          peers_.erase(peers_.begin() + static_cast<std::ptrdiff_t>(at - 1));
      if (ready[0].revents != 0)
        peers_.emplace_back(accept_from(door_));
    }
  }

  void print() const {
    const auto ms
      = [&](int64_t at) { return static_cast<double>(at - begun_) / 1e6; };
    std::printf("{\"messages\":%llu,\"transactions\":%llu,\"first_ms\":%.1f,"
                "\"last_ms\":%.1f}\n",
                static_cast<unsigned long long>(messages_),
                static_cast<unsigned long long>(transactions_), ms(first_),
                ms(last_));
  }

private:
  bool take_from(wire& from) {
    if (!from.fill())
      return false;
    while (const auto request = from.take()) {
      if (request->first_line.starts_with("PUT ")
          && request->first_line != last_line_)
        count(*request);
      if (!from.send(accepted_answer, {}))
        return false;
    }
    return true;
  }

  void count(const message& transaction) {
    last_line_ = transaction.first_line;
    last_ = now_ns();
    if (transactions_++ == 0)
      first_ = last_;
    messages_ += messages_in(transaction.body);
  }

  int64_t begun_ = now_ns();
  listener door_;
  std::vector<wire> peers_;
  std::string last_line_; ///< A repeat follows its first.
  uint64_t messages_ = 0;
  uint64_t transactions_ = 0;
  int64_t first_ = 0;
  int64_t last_ = 0;
};

uint64_t number(const char* text) {
  return std::strtoull(text, nullptr, 10);
}

} // namespace

int main(int count, char** arguments) {
  const std::string_view what = count > 1 ? arguments[1] : "";
  if (what == "fill" && count == 5)
    return fill(static_cast<uint16_t>(number(arguments[2])),
                number(arguments[3]), number(arguments[4]));
  if (what != "drain" || count != 4)
    give_up("usage: weir_bench_peer fill PORT APPSERVICE TRANSACTIONS | drain "
            "PORT MESSAGES");
  draining_bridge bridge{static_cast<uint16_t>(number(arguments[2]))};
  std::puts("listening");
  std::fflush(stdout);
  bridge.run(number(arguments[3]));
  bridge.print();
  return 0;
}
