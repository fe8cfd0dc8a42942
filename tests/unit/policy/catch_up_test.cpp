#include "actors/policy/catch_up.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace weir;
using namespace weir::policy;
using namespace std::chrono_literals;

namespace {

constexpr instant at(milliseconds since_start) {
  return instant{1h + since_start};
}

const token_standing covered{};
const token_standing behind{{}, slot_lag{1, 1}};

token_standing refused(token_refusal why) {
  return {why, {}};
}

catch_up_step refusal(token_refusal why) {
  return {catch_up_step::kind::refuse, {}, why};
}

/// Looks when it is told to until it is told something else, and when that was.
std::pair<catch_up_step, milliseconds> end_of(catch_up read) {
  auto now = 0ms;
  for (int looks = 0; looks < 1'000; ++looks) {
    const auto step = read.next(behind, at(now));
    if (step.what != catch_up_step::kind::look)
      return {step, now};
    REQUIRE(step.at > at(now));
    now = std::chrono::duration_cast<milliseconds>(step.at - at(0ms));
  }
  FAIL("it looks without end");
  return {};
}

} // namespace

TEST_CASE("catch_up: T19 a read waits five seconds, or what it asks, to ten") {
  CHECK(read_wait({}) == 5s);
  CHECK(read_wait(200ms) == 200ms);
  CHECK(read_wait(10s) == 10s);
  CHECK(read_wait(11s) == 10s);
  CHECK(read_wait(0ms) == 0ms);
  CHECK(read_wait(-1ms) == 0ms);
}

TEST_CASE("catch_up: what is covered is read at once, however late") {
  catch_up read{at(0s), 5s};
  CHECK(read.next(covered, at(0s)).what == catch_up_step::kind::read);
  CHECK(read.next(covered, at(1h)).what == catch_up_step::kind::read);
}

TEST_CASE("catch_up: what no wait will mend is refused at once") {
  for (const auto why :
       {token_refusal::unknown_slot, token_refusal::unknown_run,
        token_refusal::beyond_run, token_refusal::expired}) {
    catch_up read{at(0s), 5s};
    CHECK(read.next(refused(why), at(0s)) == refusal(why));
  }
}

TEST_CASE(
  "catch_up: B-5 a position that nobody has is refused after a second") {
  const auto [step, when] = end_of({at(0s), 5s});
  CHECK(step == refusal(token_refusal::beyond_store));
  CHECK(when == 1s);
}

TEST_CASE("catch_up: a commit that comes in time is read") {
  catch_up read{at(0s), 5s};
  CHECK(read.next(behind, at(0s)).what == catch_up_step::kind::look);
  CHECK(read.next(behind, at(5ms)).what == catch_up_step::kind::look);
  CHECK(read.next(covered, at(15ms)).what == catch_up_step::kind::read);
}

TEST_CASE("catch_up: a deadline before that second leaves it open") {
  const auto [step, when] = end_of({at(0s), 200ms});
  CHECK(step == refusal(token_refusal::not_caught_up));
  CHECK(when == 200ms);
  const auto [at_once, none] = end_of({at(0s), 0ms});
  CHECK(at_once == refusal(token_refusal::not_caught_up));
  CHECK(none == 0ms);
  // At the second itself it is known.
  CHECK(end_of({at(0s), 1s}).first == refusal(token_refusal::beyond_store));
}

TEST_CASE("catch_up: a first look that comes late waits no second more") {
  catch_up read{at(0s), 10s};
  CHECK(read.next(behind, at(999ms))
        == catch_up_step{catch_up_step::kind::look, at(1s), {}});
  catch_up late{at(0s), 10s};
  CHECK(late.next(behind, at(2s)) == refusal(token_refusal::beyond_store));
}

TEST_CASE("catch_up: it looks often at first and seldom then") {
  catch_up read{at(0s), 5s};
  std::vector<milliseconds> pauses;
  auto now = at(0s);
  for (int look = 0; look < 6; ++look) {
    const auto step = read.next(behind, now);
    pauses.push_back(std::chrono::duration_cast<milliseconds>(step.at - now));
    now = step.at;
  }
  CHECK(pauses == std::vector<milliseconds>{5ms, 10ms, 20ms, 40ms, 50ms, 50ms});
}

TEST_CASE("catch_up: whatever is found when, what is behind is never read") {
  std::mt19937_64 random{20'261'130};
  for (int round = 0; round < 2'000; ++round) {
    CAPTURE(round);
    const milliseconds wait{static_cast<int64_t>(random() % 2'000)};
    catch_up read{at(0s), wait};
    auto now = at(0s);
    while (true) {
      const bool here = random() % 20 == 0;
      const auto step = read.next(here ? covered : behind, now);
      CHECK((step.what == catch_up_step::kind::read) == here);
      if (step.what != catch_up_step::kind::look)
        break;
      // Never past the end of its time, and each look is a later one.
      CHECK(step.at > now);
      CHECK(step.at <= at(std::min<milliseconds>(wait, 1s)));
      now = step.at + milliseconds{static_cast<int64_t>(random() % 30)};
    }
  }
}
