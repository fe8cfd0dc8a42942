#include "tests/support/actors/realm_homeserver.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace weir;
using namespace weir::test;

namespace {

using std::chrono::minutes;

/// Whatever may come over two realms that share rooms, from one seed.
class storm {
public:
  explicit storm(uint64_t seed) : dice_{seed} {
    on_.house.shuffle(seed);
    on_.homeserver.before
      = [this](const http_request& request) { return answer(request); };
    on_.start({"!a", "!b", "!c"});
    change_audience(on_.house, "s", {"!b", "!c", "!d"});
  }

  void run() {
    for (int step = 0; step < 40; ++step) {
      if (step % 2 == 0)
        submit(step);
      harm();
      on_.house.advance(milliseconds{draw(2'000)});
      on_.house.database.set_away(false);
    }
    is_well_ = true;
    on_.house.advance(minutes{30});
  }

  void check() {
    CHECK(on_.row("r").open_events == 0);
    CHECK(on_.row("s").open_events == 0);
    for (const auto room : {"!a", "!b", "!c", "!d"})
      CHECK(in_order(on_.homeserver.rooms[room]));
    CHECK(count("!a", "r") == sent_["r"]);
    CHECK(count("!b", "r") == sent_["r"]);
    CHECK(count("!b", "s") == sent_["s"]);
    CHECK(count("!d", "s") == sent_["s"]);
    CHECK(most_sends_open(on_.house.network) <= 8);
    CHECK(on_.house.give_ups == 0);
  }

private:
  size_t draw(size_t below) {
    return dice_() % below;
  }

  std::optional<scripted_reply> answer(const http_request& request) {
    const auto what = is_well_ ? 0 : draw(30);
    const auto refuse = [&](int status, const char* body) {
      auto reply = on_.homeserver.said(status, body);
      if (draw(2) == 0)
        reply.answer.fields = {{"Retry-After", std::to_string(draw(4))}};
      reply.after = milliseconds{draw(3'000)};
      return reply;
    };
    switch (what) {
    case 1: return refuse(503, "<html>");
    case 2: return refuse(429, R"({"errcode":"M_LIMIT_EXCEEDED"})");
    case 3: return refuse(401, R"({"errcode":"M_UNKNOWN_TOKEN"})");
    case 4: return failure(no_answer::refused);
    case 5: return failure(no_answer::reset);
    case 6:
      if (realm_homeserver::is_send(request))
        on_.homeserver.store(request);
      return refuse(504, "<html>");
    default: return {};
    }
  }

  void submit(int step) {
    const std::string realm = draw(2) == 0 ? "r" : "s";
    auto& last = sent_[realm];
    auto what = realm_event(realm + std::to_string(++last));
    what.content = R"({")" + realm + R"(":)" + std::to_string(last) + "}";
    what.event_id += "-" + std::to_string(step);
    // As a producer would: again under the same key until it is answered.
    while (!ask<realm_events_taken>(
      on_.house, on_.house.house().writers.front(),
      submit_realm_events{{realm},
                          "@weir:x",
                          {what},
                          {},
                          false,
                          on_.house.now() + limits::operation_deadline}))
      on_.house.advance(milliseconds{600});
    wake_realm_of(on_.house, realm);
  }

  void harm() {
    constexpr std::array children{"pacer", "homeserver_session", "transport",
                                  "realm_directory", "store_writer"};
    switch (draw(12)) {
    case 0: // Fewer than the supervisor takes for a crash loop.
      return kills_++ < 4 ? on_.house.kill(children.at(draw(children.size())))
                          : void();
    case 1: return on_.house.database.set_away(true);
    case 2: return on_.restart();
    case 3: wake_realm_of(on_.house, "r", realm_change::redelivered); return;
    default: return;
    }
  }

  /// `{"r":7}` behind `{"r":6}`, and each once.
  static bool in_order(const std::vector<std::string>& room) {
    std::map<char, int> last;
    for (const auto& each : room)
      if (std::stoi(each.substr(5)) != ++last[each[2]])
        return false;
    return true;
  }

  size_t count(const std::string& room, const std::string& realm) {
    const auto& held = on_.homeserver.rooms[room];
    return static_cast<size_t>(
      std::count_if(held.begin(), held.end(),
                    [&](const auto& each) { return each[2] == realm[0]; }));
  }

  std::mt19937_64 dice_;
  bool is_well_ = false;
  int kills_ = 0;
  std::map<std::string, size_t> sent_;
  realm_world on_;
};

} // namespace

TEST_CASE("realm queue: whatever comes, in any order, each room has each event "
          "once and in order") {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    storm one{seed};
    one.run();
    one.check();
  }
}
