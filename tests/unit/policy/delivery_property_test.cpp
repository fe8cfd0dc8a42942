#include "tests/unit/policy/delivery_fixture.hpp"

#include "schema/limits.hpp"

#include <array>
#include <random>
#include <set>

using namespace weir;
using namespace weir::test;

namespace {

/// The longest that a queue may rest at one time: the longest pause that a peer
/// may ask for, or our own with its jitter and what spreads the retries.
constexpr auto longest_rest = std::max<milliseconds>(
  limits::retry_after_max + 5s, milliseconds{std::chrono::minutes{6}});

/// One queue under random answers of a bridge and of a store, with the rules
/// that hold whatever these say.
class random_life {
public:
  explicit random_life(uint64_t seed) : random_{seed} {
    auto limits = plain;
    limits.pause.jitter = 0.2;
    limits.dead_letter = dead_letter_ = chance(0.5);
    limits.legacy_paths = chance(0.5);
    limits_ = limits;
    of_ = delivery{limits};
    if (chance(0.3)) {
      const auto rest = milliseconds{below(900'000)};
      restored_by_peer_ = chance(0.5);
      of_.restore_pause(now_, rest, restored_by_peer_);
      stored_until_ = now_ + rest;
      stored_by_peer_ = restored_by_peer_;
      if (restored_by_peer_)
        peer_until_ = now_ + rest;
    }
    pin_next(false);
  }

  void step() {
    REQUIRE(of_.next(now_) == of_.next(now_)); // Asking changes nothing.
    keep();
    switch (of_.next(now_)) {
    case delivery_step::send: return send();
    case delivery_step::settle: return settle();
    case delivery_step::prove_alive:
      CHECK(hung_);
      CHECK(now_ >= peer_until_);
      if (chance(0.1))
        return interrupt();
      hung_ = false;
      of_.proved(chance(0.7), now_);
      return;
    case delivery_step::rest: return rest();
    case delivery_step::nothing:
      CHECK(!pinned_);
      CHECK(of_.state() == delivery_state::flowing);
      CHECK(of_.cause().empty());
      return pin_next(false);
    }
  }

  [[nodiscard]] size_t settled() const {
    return settled_.size();
  }
  [[nodiscard]] size_t stores() const {
    return stores_;
  }

private:
  uint64_t below(uint64_t bound) {
    return std::uniform_int_distribution<uint64_t>{0, bound - 1}(random_);
  }
  bool chance(double of) {
    return std::uniform_real_distribution<double>{0, 1}(random_) < of;
  }

  void pin_next(bool maybe_nothing) {
    hung_ = false;
    accepted_ = false;
    verdicts_ = 0;
    no_room_ = false;
    if (maybe_nothing && chance(0.2)) {
      pinned_.reset();
      of_.nothing_owed(now_);
      return;
    }
    pinned_ = {id_of(++ids_), chance(0.5) ? 1 : 2 + below(9), chance(0.3)};
    of_.pinned(*pinned_, now_);
    CHECK(of_.attempts() == 0);
  }

  void send() {
    REQUIRE(pinned_.has_value());
    CHECK(now_ >= of_.ready_at());
    CHECK(now_ >= peer_until_);
    CHECK(!settled_.contains(pinned_->id));
    CHECK(!accepted_); // What was acknowledged is not sent again.
    if (chance(0.05))
      return interrupt();
    const auto started = now_;
    now_ += milliseconds{below(1'000)};
    const std::array kinds{
      verdict_kind::accepted,           verdict_kind::transient,
      verdict_kind::transient,          verdict_kind::misconfigured_token,
      verdict_kind::misconfigured_path, verdict_kind::too_big,
      verdict_kind::rejected,           verdict_kind::rejected,
      verdict_kind::no_verdict_hang};
    const auto kind = kinds[below(kinds.size())];
    auto what = answer(kind);
    if (kind != verdict_kind::accepted && chance(0.2))
      what.retry_after = milliseconds{below(900'000)};
    const bool replaced = now_ > started && chance(0.05);
    if (replaced)
      of_.settings_changed(limits_, now_);
    of_.answered(what, started, now_,
                 std::uniform_real_distribution<double>{0, 1}(random_));
    note(what);
    if (replaced)
      forget();
  }

  void note(const policy::verdict& what) {
    if (what.retry_after)
      peer_until_ = std::max(peer_until_, now_ + *what.retry_after);
    accepted_ = what.kind == verdict_kind::accepted;
    hung_ = what.kind == verdict_kind::no_verdict_hang;
    verdicts_ += what.kind == verdict_kind::rejected
      || what.kind == verdict_kind::too_big || hung_;
    if (accepted_)
      CHECK(of_.state() == delivery_state::flowing);
    else
      CHECK(of_.last_error() == policy::to_string(what.kind));
  }

  /// Who answered may not be who is served now.
  void forget() {
    hung_ = false;
    verdicts_ = 0;
    CHECK((of_.next(now_) == delivery_step::settle) == accepted_);
    CHECK(of_.ready_at() <= std::max(peer_until_ + 5s, now_));
  }

  /// Our own transport ends: nothing of it is the bridge's.
  void interrupt() {
    const auto tries = of_.attempts();
    const auto step = of_.next(now_);
    of_.interrupted(now_);
    CHECK(of_.attempts() == tries);
    CHECK(of_.next(now_) == delivery_step::rest);
    CHECK(of_.next(of_.ready_at()) == step);
  }

  /// Stores what is to be stored, if the store can, and looks at what a restart
  /// would find.
  void keep() {
    if (const auto pause = of_.pause_to_store(now_)) {
      const bool answers = chance(0.8);
      if (answers || chance(0.5)) {
        stored_until_ = now_ + pause->rest;
        stored_by_peer_ = pause->by_peer;
      }
      of_.pause_stored(*pause, answers);
      if (!answers)
        return;
      ++stores_;
    }
    CHECK(!of_.pause_to_store(now_));
    if (now_ < peer_until_) {
      CHECK(stored_until_ >= peer_until_);
      CHECK(stored_by_peer_);
    }
    CHECK(stored_until_ < std::max(of_.ready_at(), now_) + 1ms);
  }

  void settle() {
    REQUIRE(pinned_.has_value());
    const auto how = of_.ending();
    CHECK((how == settlement::delivered) == accepted_);
    if (how != settlement::delivered)
      CHECK(verdicts_ > 0); // Never for answers that judge nothing.
    if (how == settlement::bisected || how == settlement::split)
      CHECK(pinned_->elements > 1);
    if (how == settlement::dead_letter) {
      CHECK(pinned_->elements == 1);
      CHECK(dead_letter_);
    }
    if (how != settlement::delivered)
      CHECK(!of_.cause().empty());
    if (how == settlement::dead_letter && chance(0.3)) {
      no_room_ = true;
      return of_.no_room_for_dead_letters(now_);
    }
    if (chance(0.3)) {
      // It failed, and the store still holds the pin. Or it holds a pause.
      now_ += 200ms;
      if (chance(0.5)) {
        stored_by_peer_ = chance(0.5);
        stored_until_ = now_ + 10s;
        of_.restore_pause(now_, 10s, stored_by_peer_);
      }
      of_.pinned(*pinned_, now_);
      CHECK(of_.ending() == how);
      return;
    }
    CHECK(settled_.insert(pinned_->id).second);
    if (how == settlement::delivered || !stored_by_peer_)
      stored_until_ = {}; // In the same commit.
    pin_next(true);
  }

  void rest() {
    const auto wait = of_.ready_at() - now_;
    CHECK(wait > 0ms);
    CHECK(wait <= longest_rest);
    CHECK(of_.state() != delivery_state::flowing);
    CHECK(!of_.cause().empty());
    CHECK(
      (of_.state() != delivery_state::blocked || !dead_letter_ || no_room_));
    if (chance(0.2)) {
      of_.bridge_alive(now_);
      CHECK(of_.ready_at() >= peer_until_);
      now_ += milliseconds{below(100)};
      return;
    }
    // A timer may fire early, for instance for a pause that was replaced.
    now_ += chance(0.3) ? std::chrono::duration_cast<milliseconds>(wait) / 2
                        : std::chrono::ceil<milliseconds>(wait);
  }

  std::mt19937_64 random_;
  delivery of_{plain};
  delivery::limits limits_ = plain;
  instant now_ = at(0ms);
  instant peer_until_ = at(0ms);
  bool dead_letter_ = true;
  bool restored_by_peer_ = false;
  bool accepted_ = false;
  bool hung_ = false;
  bool no_room_ = false;
  int verdicts_ = 0;
  uint64_t ids_ = 0;
  std::optional<policy::delivery_subject> pinned_;
  std::set<std::string> settled_;
  instant stored_until_{}; ///< By the store, which may know better.
  bool stored_by_peer_ = false;
  size_t stores_ = 0;
};

} // namespace

TEST_CASE(
  "delivery: under any answers pauses are kept and endings are single") {
  size_t settled = 0;
  size_t stores = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    random_life life{seed};
    for (int steps = 0; steps < 400; ++steps)
      life.step();
    settled += life.settled();
    stores += life.stores();
  }
  CHECK(settled > 5'000); // The walk goes somewhere.
  CHECK(stores > 1'000);
}
