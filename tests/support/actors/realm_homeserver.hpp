#pragma once

#include "persistence/realm_store.hpp"
#include "tests/support/actors/realm_helper.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace weir::test {

/// The homeserver of realm events, as far as they see it: it knows the account,
/// stores each transaction id of a room once, and keeps what it stored in its
/// order. It is the script of a network.
class realm_homeserver {
public:
  /// Asked first, with what is sent; no reply: the homeserver does as it does.
  std::function<std::optional<scripted_reply>(const http_request&)> before;
  milliseconds takes{20};
  std::map<std::string, milliseconds> takes_in; ///< In these rooms.

  scripted_reply operator()(const http_request& request) {
    if (before)
      if (auto other = before(request))
        return std::move(*other);
    if (request.target.find("/account/whoami") != std::string::npos) {
      ++sign_ins;
      return said(200, R"({"user_id":"@weir:x","device_id":"WEIR"})");
    }
    if (request.target.find("/joined_rooms") != std::string::npos) {
      std::string list;
      for (const auto& room : joined)
        list += (list.empty() ? "\"" : ",\"") + room + '"';
      return said(200, R"({"joined_rooms":[)" + list + "]}");
    }
    if (!is_send(request))
      return said(200, "{}");
    store(request);
    auto reply
      = said(200, R"({"event_id":"$)" + txn_of_send(request) + R"("})");
    if (const auto slow = takes_in.find(room_of(request));
        slow != takes_in.end())
      reply.after = slow->second;
    return reply;
  }

  /// As if the homeserver had stored it, whatever it answers.
  void store(const http_request& request) {
    const auto room = room_of(request);
    if (known_[room].insert(txn_of_send(request)).second)
      rooms[room].emplace_back(request.body.view());
  }

  scripted_reply said(int code, const std::string& body,
                      std::vector<http_field> fields = {}) const {
    auto reply = status(code, std::move(fields));
    reply.answer.body = body;
    reply.after = takes;
    return reply;
  }

  static bool is_send(const http_request& request) {
    return request.target.find("/send/") != std::string::npos;
  }
  /// `!a` of `/_matrix/client/v3/rooms/%21a/send/…`.
  static std::string room_of(const http_request& request) {
    const std::string_view target = request.target;
    const auto begin = target.find("/rooms/%21") + 10;
    return "!"
      + std::string{target.substr(begin, target.find('/', begin) - begin)};
  }
  static std::string txn_of_send(const http_request& request) {
    const auto path = request.target.substr(0, request.target.find('?'));
    return path.substr(path.rfind('/') + 1);
  }

  /// What each room holds, in its order.
  std::map<std::string, std::vector<std::string>> rooms;
  std::set<std::string> joined;
  size_t sign_ins = 0;

private:
  std::map<std::string, std::set<std::string>> known_;
};

/// A house that serves realms, without bridges.
inline void serve_realms(actor_fixture& on, realm_homeserver& to) {
  auto& realms = on.settings.realms;
  realms.account = "@weir:x";
  realms.peer.url = "http://homeserver";
  realms.as_token = "as-token";
  realms.device = "WEIR";
  realms.pace.sends_per_second = 50;
  realms.pace.in_flight = 8;
  realms.pace.pause.jitter = 0;
  realms.pace.room_pause.jitter = 0;
  on.network.script
    = [&to](const http_request& request) { return to(request); };
}

inline void wake_realm_of(actor_fixture& on, const std::string& realm,
                          realm_change what = realm_change::events) {
  caf::anon_send(on.house().realms, wake_realm{{realm}, what});
}

/// `{"key":"N"}` of each event, in its order.
inline std::vector<std::string> contents(size_t first, size_t last) {
  std::vector<std::string> result;
  for (auto i = first; i <= last; ++i)
    result.push_back(R"({"key":")" + std::to_string(i) + R"("})");
  return result;
}

/// The most sends that were open at once.
inline size_t most_sends_open(const scripted_network& network) {
  std::vector<std::pair<milliseconds, int>> steps;
  for (const auto& each : network.all())
    if (realm_homeserver::is_send(each.request)) {
      steps.emplace_back(each.at, +1);
      if (each.closed_at)
        steps.emplace_back(*each.closed_at, -1);
    }
  std::sort(steps.begin(), steps.end());
  int open = 0;
  int most = 0;
  for (const auto& [at, by] : steps)
    most = std::max(most, open += by);
  return static_cast<size_t>(most);
}

inline std::vector<int64_t> send_times(const scripted_network& network) {
  std::vector<int64_t> times;
  for (const auto& each : network.all())
    if (realm_homeserver::is_send(each.request))
      times.push_back(each.at.count());
  return times;
}

/// A house, its homeserver, and a realm `r`.
struct realm_world {
  realm_homeserver homeserver;
  actor_fixture house{std::vector<queue_settings>{}};

  realm_world() {
    serve_realms(house, homeserver);
  }

  /// Starts with the rooms of the audience.
  void start(const std::vector<std::string>& rooms) {
    house.start();
    homeserver.joined = {rooms.begin(), rooms.end()};
    change_audience(house, "r", rooms);
  }
  void restart() {
    house.stop();
    house.start();
  }
  void submit(size_t first, size_t last, const std::string& realm = "r") {
    for (auto i = first; i <= last; ++i)
      test::submit(house, realm, {realm_event(std::to_string(i))});
    wake_realm_of(house, realm);
  }
  realm_row row(const std::string& realm = "r") {
    return house.database.connect_reader()
      ->realms()
      .realm({realm})
      .value()
      .value();
  }
  std::vector<realm_send_row> sends(const std::string& event) {
    auto reader = house.database.connect_reader();
    const auto found = reader->realms().event(row().no, event).value();
    REQUIRE(found);
    return reader->realms().sends(row().no, found->seq, "", 1'000).value();
  }
};

} // namespace weir::test
