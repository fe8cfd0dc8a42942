#pragma once

#include "actors/interfaces.hpp"
#include "tests/support/actors/actor_fixture.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace weir::test {

/// Asks an actor and runs the house until nothing is left to do.
template <class Reply, class Handle, class Request>
expected<Reply> ask(actor_fixture& on, const Handle& whom, Request request) {
  expected<Reply> answer = fail(ec::unavailable, "never answered");
  on.as_actor([&](caf::event_based_actor& self) {
    self.request(whom, std::chrono::minutes{10}, std::move(request))
      .then([&](const Reply& reply) { answer = reply; },
            [&](const caf::error& why) { answer = fail(from_caf(why)); });
  });
  on.run();
  return answer;
}

/// The same of the writer of a realm, which has five seconds.
template <class Reply, class Request>
Reply write(actor_fixture& on, Request request) {
  request.deadline = on.now() + limits::operation_deadline;
  auto answer = ask<Reply>(on, on.house().writers.front(), std::move(request));
  REQUIRE(answer);
  return std::move(answer.value());
}

/// An event of the realm's audience, whose id and content tell the key.
inline realm_offer realm_event(const std::string& key) {
  realm_offer what;
  what.key = key;
  what.event_id = "we_" + key;
  what.type = "app.x";
  what.content = R"({"key":")" + key + R"("})";
  return what;
}

inline realm_events_taken submit(actor_fixture& on, const std::string& realm,
                                 std::vector<realm_offer> offers) {
  return write<realm_events_taken>(
    on,
    submit_realm_events{{realm}, "@weir:x", std::move(offers), {}, false, {}});
}

inline realm_audience_changed
change_audience(actor_fixture& on, const std::string& realm,
                const std::vector<std::string>& add,
                const std::vector<std::string>& remove = {}) {
  change_realm_audience request;
  request.realm = {realm};
  request.account = "@weir:x";
  for (const auto& room : add)
    request.add.push_back({room});
  for (const auto& room : remove)
    request.remove.push_back({room});
  return write<realm_audience_changed>(on, std::move(request));
}

} // namespace weir::test
