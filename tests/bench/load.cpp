#include "tests/bench/load.hpp"

#include <algorithm>

namespace bench {

homeserver::homeserver(uint16_t port, std::string target, std::string token)
  : on_{connect_to(port)},
    target_{std::move(target)},
    token_{std::move(token)} {
}

load_times homeserver::run(const load_plan& plan) {
  numbered_transaction next{plan.events, plan.event_bytes};
  load_times times;
  const auto begun = now_ns();
  times.ended_ns = begun;
  for (uint64_t at = 0; at < plan.transactions; ++at) {
    const auto body = next.number_from(next_event_);
    const auto head = put_head(target_ + std::to_string(next_transaction_),
                               token_, body.size());
    auto sent = now_ns();
    if (plan.per_second > 0) {
      const auto due = begun
        + static_cast<int64_t>(static_cast<double>(at) / plan.per_second * 1e9);
      const bool held_up = sent > due;
      wait_until(due);
      // What waited for the answer before it has waited since it was due; a
      // late wake-up is the machine's fault.
      sent = held_up ? due : now_ns();
    }
    times.sent_ns.push_back(sent);
    if (!on_.send(head, body))
      give_up("the connection was closed under the load");
    const auto answer = on_.wait();
    if (!answer || status_of(*answer) != 200)
      give_up("a transaction was not accepted: "
              + (answer ? std::string{answer->first_line} : "no answer"));
    times.ended_ns = now_ns();
    times.accept_ms.push_back(static_cast<double>(times.ended_ns - sent) / 1e6);
    next_event_ += plan.events;
    ++next_transaction_;
  }
  return times;
}

} // namespace bench
