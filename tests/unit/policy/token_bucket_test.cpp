#include "actors/policy/token_bucket.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace weir;
using namespace weir::policy;
using namespace std::chrono_literals;

namespace {

constexpr instant at(milliseconds since_start) {
  return instant{1h + since_start};
}

/// When sends start whose line is never empty, woken as the bucket asks, up to
/// and including `until`.
std::vector<milliseconds> starts_until(token_bucket& bucket, milliseconds from,
                                       milliseconds until) {
  std::vector<milliseconds> starts;
  for (auto now = from; now <= until; now += bucket.wait(at(now)))
    while (bucket.take(at(now)))
      starts.push_back(now);
  return starts;
}

size_t most_within(const std::vector<milliseconds>& starts, milliseconds window,
                   milliseconds from) {
  size_t most = 0;
  for (size_t first = 0; first < starts.size(); ++first) {
    if (starts[first] < from)
      continue;
    size_t last = first;
    while (last < starts.size() && starts[last] - starts[first] < window)
      ++last;
    most = std::max(most, last - first);
  }
  return most;
}

} // namespace

TEST_CASE("pacer: q4 one hundred starts in four seconds after an idle second") {
  token_bucket bucket{20, at(-1s)};
  const auto starts = starts_until(bucket, 0ms, 4s);
  CHECK(starts.size() == 100);
  CHECK(starts[19] == 0ms);
  CHECK(starts[20] == 50ms);
}

TEST_CASE("pacer: d2 a new bucket is empty and earns no burst") {
  token_bucket bucket{20, at(0ms)};
  CHECK(!bucket.take(at(0ms)));
  CHECK(bucket.wait(at(0ms)) == 50ms);
  CHECK(starts_until(bucket, 0ms, 4s).size() == 80);
}

TEST_CASE("pacer: q3 past the first bucket no second starts more than the "
          "rate and one") {
  for (const double rate : {0.5, 1.0, 2.5, 3.0, 20.0, 50.0, 333.0}) {
    CAPTURE(rate);
    token_bucket bucket{rate, at(-10s)};
    const auto starts = starts_until(bucket, 0ms, 20s);
    CHECK(static_cast<double>(most_within(starts, 1s, 1ms)) <= rate + 1);
    const auto least = rate * 20 + std::min(rate, 1.0) - 1;
    CHECK(static_cast<double>(starts.size()) >= least);
  }
}

TEST_CASE("pacer: q5 a rate of a half starts at 0, 2000 and 4000 ms") {
  token_bucket bucket{0.5, at(-2s)};
  CHECK(starts_until(bucket, 0ms, 4s)
        == std::vector<milliseconds>{0ms, 2s, 4s});
}

TEST_CASE("pacer: q5 the slowest rate keeps its one token") {
  token_bucket bucket{send_rate_min, at(0ms)};
  CHECK(bucket.wait(at(0ms)) == 900s);
  CHECK(!bucket.take(at(900s - 1ms)));
  CHECK(bucket.take(at(900s)));
  CHECK(bucket.wait(at(900s)) == 900s);
}

TEST_CASE("pacer: q6 without a token the wake-up is rounded up to a whole "
          "millisecond") {
  token_bucket bucket{3, at(0ms)};
  CHECK(bucket.wait(at(0ms)) == 334ms);
  CHECK(bucket.wait(at(100ms)) == 234ms);
  CHECK(bucket.take(at(334ms)));
  CHECK(bucket.wait(at(334ms)) == 333ms);
}

TEST_CASE("pacer: q9 what is no positive finite number is the default") {
  for (const auto* text : {"", "0", "-1", "NaN", "nan", "inf", "-inf", "1e400",
                           "50x", " 50", "50 ", "0x10", "+5", "-0", "1e-400"}) {
    CAPTURE(text);
    CHECK(send_rate(text, 7) == 7);
  }
  CHECK(send_rate("0.5", 50) == 0.5);
  CHECK(send_rate("120", 50) == 120);
  CHECK(send_rate("1e300", 50) == send_rate_max);
  CHECK(send_rate("1e-300", 50) == send_rate_min);
}

TEST_CASE("pacer: q9 a rate out of bounds is cut, never endless") {
  token_bucket slow{0, at(0ms)};
  CHECK(slow.rate() == send_rate_min);
  token_bucket fast{1e9, at(0ms)};
  CHECK(fast.rate() == send_rate_max);
}

TEST_CASE("pacer: q10 a timer that fires early takes nothing and is set anew") {
  token_bucket bucket{20, at(0ms)};
  CHECK(!bucket.take(at(49ms)));
  CHECK(bucket.wait(at(49ms)) == 1ms);
  CHECK(!bucket.take(at(50ms) - 1ns));
  CHECK(bucket.take(at(50ms)));
}

TEST_CASE("pacer: e1 a clock that steps back refills nothing and loses "
          "nothing") {
  token_bucket bucket{20, at(-1s)};
  CHECK(bucket.tokens(at(0ms)) == 20);
  CHECK(bucket.tokens(at(-50min)) == 20);
  for (int i = 0; i < 20; ++i)
    CHECK(bucket.take(at(-50min)));
  CHECK(bucket.wait(at(-50min)) == 50ms);
}

TEST_CASE("pacer: e1 a clock that leaps refills one bucket") {
  token_bucket bucket{20, at(0ms)};
  CHECK(bucket.tokens(at(1h)) == 20);
}

TEST_CASE("pacer: e16 a change of the rate keeps tokens, cuts and never "
          "refills") {
  token_bucket bucket{50, at(-1s)};
  CHECK(bucket.tokens(at(0ms)) == 50);
  bucket.use_rate(5, at(0ms));
  CHECK(bucket.tokens(at(0ms)) == 5);
  bucket.use_rate(50, at(0ms));
  CHECK(bucket.tokens(at(0ms)) == 5);
  for (int i = 0; i < 5; ++i)
    CHECK(bucket.take(at(0ms)));
  CHECK(!bucket.take(at(0ms)));
  CHECK(bucket.wait(at(0ms)) == 20ms);
  bucket.use_rate(0.5, at(10ms)); // Half a token of the old rate is in hand.
  CHECK(bucket.wait(at(10ms)) == 1s);
}

TEST_CASE("pacer: e16 what is owed is cut too when the rate changes") {
  token_bucket bucket{10, at(0ms)};
  for (int i = 0; i < 10; ++i)
    bucket.overdraw(at(0ms));
  bucket.use_rate(1, at(0ms));
  CHECK(bucket.tokens(at(0ms)) == -1);
}

TEST_CASE("pacer: a delayed event overdraws by one bucket and then is free") {
  token_bucket bucket{8, at(0ms)};
  for (int i = 0; i < 100; ++i)
    bucket.overdraw(at(0ms));
  CHECK(bucket.tokens(at(0ms)) == -8);
}

TEST_CASE("pacer: while tokens are owed others keep an eighth of the refill") {
  token_bucket bucket{8, at(0ms)};
  size_t taken = 0;
  for (auto now = 0ms; now <= 100s; now += 5ms) {
    bucket.overdraw(at(now));
    taken += bucket.take(at(now)) ? 1U : 0U;
  }
  CHECK(taken == 100);
}

TEST_CASE("pacer: a debt that is paid gives the whole refill back") {
  token_bucket bucket{8, at(0ms)};
  for (int i = 0; i < 8; ++i)
    bucket.overdraw(at(0ms));
  // The debt of 8 takes 8/7 s, in which one token is kept and may be taken.
  const auto starts = starts_until(bucket, 0ms, 4s);
  CHECK(starts.front() == 1s);
  CHECK(starts.size() == 4 * 8 - 8);
}

TEST_CASE("pacer: a start that did not come to be gives its token back") {
  token_bucket bucket{20, at(-1s)};
  CHECK(bucket.take(at(0ms)));
  CHECK(bucket.take(at(0ms)));
  bucket.give_back(at(0ms));
  CHECK(bucket.tokens(at(0ms)) == 19); // One, and not all.
  bucket.give_back(at(0ms));
  CHECK(bucket.tokens(at(0ms)) == 20);
  bucket.give_back(at(0ms));
  CHECK(bucket.tokens(at(0ms)) == 20); // Never above the size.
}

TEST_CASE("pacer: whatever is asked of a bucket, it gives no more than its "
          "refill") {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random{seed};
    const double rate = 0.1 + static_cast<double>(random() % 1'000) / 20;
    token_bucket bucket{rate, at(0ms)};
    auto now = at(0ms);
    uint64_t taken = 0;
    for (int step = 0; step < 500; ++step) {
      now += std::chrono::microseconds{random() % 200'000};
      if (random() % 4 == 0)
        bucket.overdraw(now);
      const auto wait = bucket.wait(now);
      if (bucket.take(now)) {
        CHECK(wait == 0ms);
        ++taken;
      } else {
        CHECK(wait > 0ms);
        if (random() % 2
            == 0) { // The wake-up is late enough, and not too late.
          CHECK(!token_bucket{bucket}.take(now + wait - 1ms));
          now += wait;
          CHECK(bucket.take(now));
          ++taken;
        }
      }
      const auto seconds = std::chrono::duration<double>{now - at(0ms)}.count();
      CHECK(static_cast<double>(taken) <= seconds * rate + 1e-6);
    }
  }
}
