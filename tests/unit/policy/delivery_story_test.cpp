#include "tests/unit/policy/delivery_fixture.hpp"

using namespace weir;
using namespace weir::test;

namespace {

policy::queue_story told(const std::string& state, const std::string& cause) {
  return {state, cause, "run-1", 2h, cause, "as it was said", 1h};
}

/// A queue that begins with a story, before anything of it is loaded.
delivery begun_with(const std::optional<policy::queue_story>& story) {
  delivery of{plain};
  of.restore_story(at(0ms), story);
  return of;
}

const policy::delivery_subject same{"run-1", 1, true};
const policy::delivery_subject other{"run-2", 1, true};

} // namespace

TEST_CASE("delivery: a queue that nothing was told of flows since it began") {
  delivery of{plain};
  CHECK_FALSE(of.has_begun());
  of.restore_story(at(0ms), {});
  of.nothing_owed(at(1s));
  CHECK(of.has_begun());
  CHECK(of.state() == delivery_state::flowing);
  CHECK(of.since() == at(0ms));
  CHECK(of.last_error().empty());
}

TEST_CASE("delivery: a queue that flows goes on flowing since it was told") {
  auto of = begun_with(told("flowing", "http_503"));
  of.pinned(other, at(1s));
  CHECK(of.since() == at(0ms) - 2h);
  CHECK(of.cause().empty());
  CHECK(of.last_error() == "http_503");
  CHECK(of.last_error_text() == "as it was said");
  CHECK(of.last_error_at() == at(0ms) - 1h);
  CHECK(of.subject().empty());
}

TEST_CASE("delivery: a queue that rests goes on resting since it was told") {
  auto of = begun_with(told("resting", "http_503"));
  of.restore_pause(at(0ms), 60s, true);
  of.pinned(same, at(0ms));
  CHECK(of.state() == delivery_state::resting);
  CHECK(of.since() == at(0ms) - 2h);
  CHECK(of.cause() == "http_503");
  CHECK(of.next(at(0ms)) == delivery_step::rest);
  CHECK(of.subject() == "run-1");
}

TEST_CASE("delivery: a pause that ended meanwhile ends no story") {
  auto of = begun_with(told("resting", "http_503"));
  of.pinned(same, at(0ms));
  CHECK(of.next(at(0ms)) == delivery_step::send);
  CHECK(of.state() == delivery_state::resting);
  of.answered(answer(verdict_kind::transient), at(0ms), at(10ms), 0);
  CHECK(of.since() == at(0ms) - 2h);
  CHECK(of.cause() == "transient");
  CHECK(of.last_error_at() == at(10ms));
  of.answered(answer(verdict_kind::accepted), at(2s), at(3s), 0);
  CHECK(of.state() == delivery_state::flowing);
  CHECK(of.since() == at(3s));
  CHECK(of.last_error() == "transient");
}

TEST_CASE("delivery: what was told of another transaction ends with it") {
  auto of = begun_with(told("resting", "http_503"));
  of.pinned(other, at(1s));
  CHECK(of.state() == delivery_state::flowing);
  CHECK(of.since() == at(1s));
  CHECK(of.cause().empty());
}

TEST_CASE("delivery: a pause that lasts over a transaction lasts since then") {
  auto of = begun_with(told("resting", "http_429"));
  of.restore_pause(at(0ms), 60s, true);
  of.pinned(other, at(0ms));
  CHECK(of.state() == delivery_state::resting);
  CHECK(of.since() == at(0ms) - 2h);
  CHECK(of.cause() == "http_429");
}

TEST_CASE("delivery: a queue that is blocked stays so, and is tried at once") {
  auto of = begun_with(told("blocked", "http_400"));
  of.pinned(same, at(0ms));
  CHECK(of.state() == delivery_state::blocked);
  CHECK(of.since() == at(0ms) - 2h);
  CHECK(of.next(at(0ms)) == delivery_step::send);
  of.answered(answer(verdict_kind::rejected), at(0ms), at(10ms), 0);
  CHECK(of.state() == delivery_state::blocked);
  CHECK(of.since() == at(0ms) - 2h);
}

TEST_CASE("delivery: a block of another transaction is no cause of a pause") {
  auto of = begun_with(told("blocked", "http_400"));
  of.restore_pause(at(0ms), 60s, true);
  of.pinned(other, at(5s));
  CHECK(of.state() == delivery_state::resting);
  CHECK(of.since() == at(5s));
  CHECK(of.cause() == "the bridge asked for a pause");
}

TEST_CASE("delivery: no room is the cause until it is given up once more") {
  auto of = begun_with(told("blocked", "no room for dead letters"));
  of.pinned(same, at(0ms));
  for (int i = 1; i < 3; ++i) {
    of.answered(answer(verdict_kind::rejected), of.ready_at(), of.ready_at(),
                0);
    CHECK(of.cause() == "no room for dead letters");
  }
  of.answered(answer(verdict_kind::rejected), of.ready_at(), of.ready_at(), 0);
  CHECK(of.next(at(1h)) == delivery_step::settle);
  CHECK(of.cause() == "rejected"); // The reason of the dead letter.
  of.no_room_for_dead_letters(at(1h));
  CHECK(of.cause() == "no room for dead letters");
  CHECK(of.since() == at(0ms) - 2h);
}

TEST_CASE("delivery: damage is told by the bytes and not by the story") {
  const std::string damage = "stored bytes differ from the pin";
  auto mended = begun_with(told("blocked", damage));
  mended.pinned(same, at(0ms));
  CHECK(mended.state() == delivery_state::flowing);
  CHECK(mended.since() == at(0ms));
  auto story = told("blocked", damage);
  story.last_error = "corrupt";
  auto still = begun_with(story);
  still.found_corrupt(at(0ms));
  still.nothing_owed(at(0ms));
  CHECK(still.state() == delivery_state::blocked);
  CHECK(still.since() == at(0ms) - 2h);
  CHECK(still.last_error_at() == at(0ms) - 1h);
}

TEST_CASE("delivery: a queue that begins anew is told its story once") {
  auto of = begun_with({});
  of.pinned(same, at(0ms));
  of.restore_story(at(5s), told("blocked", "http_400"));
  CHECK(of.state() == delivery_state::flowing);
  CHECK(of.since() == at(0ms));
}

TEST_CASE("delivery: what was said of a failure is told until the next one") {
  queue_of_one queue;
  auto refused = answer(verdict_kind::transient);
  refused.detail = "Connection refused";
  queue.send(refused);
  CHECK(queue.of.last_error_text() == "Connection refused");
  queue.send(verdict_kind::transient);
  CHECK(queue.of.last_error_text().empty());
}
