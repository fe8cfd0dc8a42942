#include "http/matrix_reply.hpp"
#include "http/routes/appservice.hpp"
#include "schema/log.hpp"
#include "schema/submission.hpp"

#include <fmt/format.h>

// POST /_weir/v1/appservices/{id}/events: the second door, for homeservers that
// keep the place of each event in their stream. See docs/api.md.
namespace weir {

namespace {

using std::chrono::steady_clock;

const logger log_{"listener"};

http_response counted(uint64_t accepted, uint64_t duplicates) {
  return json_ok(
    fmt::format(R"({{"accepted":{},"duplicates":{}}})", accepted, duplicates));
}

std::atomic<uint64_t>& count_of(listener_counts& all, ec why) {
  auto& counts = all.second_door;
  switch (why) {
  case ec::not_json: return counts.not_json;
  case ec::too_large: return counts.too_large;
  default: return counts.bad_json;
  }
}

} // namespace

body_wish appservice_routes::events(const served& to,
                                    const request_head& head) {
  auto wish = stored_body(to, head);
  wish.take = [this, to, arrived = head.arrived](const std::string& body,
                                                 reply answer) {
    take_events(*to, arrived, body, std::move(answer));
  };
  return wish;
}

/// What is wrong is told and not kept: who hands events in by their orderings
/// has them, and knows what it sent.
void appservice_routes::take_events(const served_appservice& to,
                                    steady_clock::time_point arrived,
                                    const std::string& body, reply answer) {
  auto content = slice_submission(body);
  if (!content) {
    ++count_of(*counts_, content.error().code);
    log_.warn("events refused appservice={} what={} action=look at what sends "
              "them",
              to.id.value, to_string(content.error()));
    return answer(error_reply(content.error()));
  }
  if (!to.sends || content.value().orderings.empty()) {
    ++counts_->second_door.accepted;
    return answer(counted(0, 0));
  }
  house_.offer(
    offer_of(to, std::move(content.value())), patience(arrived),
    [counts = counts_, answer = std::move(answer),
     id = to.id.value](const expected<transaction_stored>& result) {
      auto& told = counts->second_door;
      if (!result) {
        ++told.refused;
        log_.error("events not taken appservice={} what={} action={}", id,
                   to_string(result.error()), advice_for(result.error()));
        return answer(come_again(come_again_in, "Weir cannot store this now"));
      }
      const auto& stored = result.value();
      ++told.accepted;
      told.events_accepted += stored.elements;
      told.events_duplicate += stored.events_repeated;
      answer(counted(stored.elements, stored.events_repeated));
    });
}

} // namespace weir
