#include "actors/gateway.hpp"
#include "actors/interfaces.hpp"
#include "tests/support/actors/actor_fixture.hpp"
#include "tests/support/memory_store/memory_state.hpp"

#include "schema/transaction.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::test;

namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const std::string irc = "http://irc";

template <class T>
struct replied {
  std::optional<T> answer;
  std::optional<error> failed;
  milliseconds at{0};
};

/// Asks an actor directly; the time-out is beyond anything that is tested.
template <class Reply, class Handle, class Request>
std::shared_ptr<replied<Reply>> ask(actor_fixture& fixture, const Handle& whom,
                                    Request request) {
  auto result = std::make_shared<replied<Reply>>();
  fixture.as_actor([=, &fixture](caf::event_based_actor& self) {
    self.request(whom, caf::duration{minutes{60}}, request)
      .then(
        [=, &fixture](const Reply& reply) {
          result->answer = reply;
          result->at = fixture.elapsed();
        },
        [=, &fixture](const caf::error& why) {
          result->failed = from_caf(why);
          result->at = fixture.elapsed();
        });
  });
  return result;
}

send_http to_lane(uint64_t id, const std::string& lane) {
  send_http result;
  result.id = id;
  result.lane = lane;
  result.request.method = "PUT";
  result.request.peer.url = "http://" + lane;
  result.request.target = "/" + std::to_string(id);
  return result;
}

accept_transaction transaction(const std::string& id, instant deadline) {
  accept_transaction request;
  request.appservice = {"irc"};
  request.hs_txn_id = id;
  request.content = shared{
    slice_transaction(R"({"events":[{"event_id":"$)" + id + R"("}]})").value()};
  request.deadline = deadline;
  return request;
}

/// A store writer that is stuck: it takes everything and answers nothing.
class stuck_writer_state {
public:
  static constexpr const char* name = "stuck_writer";
  explicit stuck_writer_state(traced_actor<store_writer_actor>* self)
    : self_{self} {
  }
  store_writer_actor::behavior_type start() {
    return {
      [this](const accept_transaction&) { return never<transaction_stored>(); },
      [this](const load_queue&) { return never<queue_loaded>(); },
      [this](const settle_transaction&) {
        return never<transaction_settled>();
      },
      [this](const halt_queue&) { return never<queue_halted>(); },
      [this](const end_back_off&) { return never<back_off_ended>(); },
      [this](const skip_transaction&) { return never<transaction_skipped>(); },
      [this](const replay_letters&) { return never<kept_changed>(); },
      [this](const drop_letters&) { return never<kept_changed>(); },
      [this](const drop_quarantined&) { return never<kept_changed>(); },
      [this](const list_held&) { return never<held_page>(); },
      [this](const note_removed&) { return never<stored>(); },
      [this](const remove_appservice&) { return never<removal_done>(); },
      [this](const continue_removals&) { return never<removal_done>(); },
      [this](const store_pause&) { return never<stored>(); },
      [this](const publish_status&) { return never<stored>(); },
      [this](const quarantine_body&) { return never<quarantined>(); },
      [this](const adopt_queues&) { return never<stored>(); },
      [this](const beat_slot&) { return never<stored>(); },
      [this](const forget_old&) { return never<forgotten>(); },
      [this](const tidy_store&) { return never<stored>(); },
      [this](const list_owed&) { return never<owed_page>(); },
      [this](const submit_realm_events&) {
        return never<realm_events_taken>();
      },
      [this](const change_realm_audience&) {
        return never<realm_audience_changed>();
      },
      [this](const replace_realm_audience&) {
        return never<realm_audience_changed>();
      },
      [this](const cancel_realm_event&) {
        return never<realm_event_cancelled>();
      },
      [this](const redeliver_realm_event&) {
        return never<realm_event_redelivered>();
      },
      [this](const halt_realm&) { return never<realm_halted>(); },
      [this](const delete_realm&) { return never<realm_deleted>(); },
      [this](const load_realm&) { return never<realm_loaded>(); },
      [this](const list_realms&) { return never<realm_page>(); },
      [this](const bind_realm_event&) { return never<realm_bound>(); },
      [this](const work_realm&) { return never<realm_worked>(); },
      [this](const expire_realm&) { return never<realm_expired>(); },
      [this](const drop_realm_lossy&) { return never<realm_dropped>(); },
      [this](const forget_realm&) { return never<realm_forgotten>(); },
      [this](const store_account_pause&) { return never<stored>(); },
      [this](const hold_account&) { return never<stored>(); },
      [this](const load_account&) { return never<account_loaded>(); },
      [](const flush&) {},
    };
  }

private:
  template <class Reply>
  caf::result<Reply> never() {
    return self_->make_response_promise<caf::typed_response_promise<Reply>>();
  }
  traced_actor<store_writer_actor>* self_;
};
using stuck_writer = weir_actor<store_writer_actor, stuck_writer_state>;

} // namespace

TEST_CASE(
  "transport: a second send of a lane waits until the first is closed") {
  actor_fixture fixture;
  fixture.network.closes_on_abort = false;
  fixture.network.script = [](const http_request&) { return silence(); };
  fixture.start();
  const auto to = fixture.house().transport;
  const auto first = ask<http_answer>(fixture, to, to_lane(1'000, "irc"));
  fixture.run();
  const auto second = ask<http_answer>(fixture, to, to_lane(1'001, "irc"));
  const auto other = ask<http_answer>(fixture, to, to_lane(1'002, "xmpp"));
  fixture.run();
  CHECK(fixture.network.aborts() == 1);
  CHECK(fixture.network.sent_to(irc).size() == 1);
  CHECK(fixture.network.sent_to("http://xmpp").size() == 1);
  SUBCASE("and then starts") {
    fixture.network.close_aborted();
    fixture.run();
    REQUIRE(first->answer);
    CHECK(first->answer->failure == no_answer::aborted);
    CHECK(fixture.network.sent_to(irc).size() == 2);
    fixture.network.answer(1'001, status(200).answer);
    fixture.run();
    REQUIRE(second->answer);
    CHECK(second->answer->status == 200);
  }
  SUBCASE("and is replaced by a third") {
    const auto third = ask<http_answer>(fixture, to, to_lane(1'003, "irc"));
    fixture.run();
    REQUIRE(second->answer);
    CHECK(second->answer->failure == no_answer::aborted);
    fixture.network.close_aborted();
    fixture.run();
    const auto sent = fixture.network.sent_to(irc);
    REQUIRE(sent.size() == 2);
    CHECK(sent[1].id == 1'003);
    CHECK_FALSE(third->answer);
  }
  SUBCASE("and is never sent when it is given up before") {
    const auto given_up = ask<http_aborted>(fixture, to, abort_http{1'001});
    fixture.run();
    CHECK(given_up->answer);
    REQUIRE(second->answer);
    CHECK(second->answer->failure == no_answer::aborted);
    fixture.network.close_aborted();
    fixture.run();
    CHECK(fixture.network.sent_to(irc).size() == 1);
  }
  CHECK(fixture.network.open_most() == 1);
  CHECK_FALSE(other->answer);
}

TEST_CASE("transport: an abort is answered after the connection is closed") {
  actor_fixture fixture;
  fixture.network.closes_on_abort = false;
  fixture.network.script = [](const http_request&) { return silence(); };
  fixture.start();
  const auto to = fixture.house().transport;
  const auto sent = ask<http_answer>(fixture, to, to_lane(2'000, "irc"));
  fixture.run();
  const auto one = ask<http_aborted>(fixture, to, abort_http{2'000});
  const auto two = ask<http_aborted>(fixture, to, abort_http{2'000});
  const auto unknown = ask<http_aborted>(fixture, to, abort_http{3'000});
  fixture.run();
  CHECK_FALSE(one->answer);
  CHECK(unknown->answer);
  fixture.network.close_aborted();
  fixture.run();
  CHECK(one->answer);
  CHECK(two->answer);
  REQUIRE(sent->answer);
  CHECK(sent->answer->failure == no_answer::aborted);
}

TEST_CASE("transport: one that ends gives up all and answers all") {
  actor_fixture fixture;
  fixture.network.closes_on_abort = false;
  fixture.network.script = [](const http_request&) { return silence(); };
  fixture.start();
  const auto to = fixture.house().transport;
  const auto open = ask<http_answer>(fixture, to, to_lane(4'000, "irc"));
  fixture.run();
  const auto waiting = ask<http_answer>(fixture, to, to_lane(4'001, "irc"));
  const auto given_up = ask<http_aborted>(fixture, to, abort_http{4'000});
  fixture.run();
  const auto aborts = fixture.network.aborts();
  fixture.kill("transport");
  fixture.run();
  CHECK(fixture.network.aborts() > aborts);
  CHECK(open->failed);
  CHECK(waiting->failed);
  CHECK(given_up->answer);
}

TEST_CASE("writer: what has expired is refused unstarted") {
  actor_fixture fixture;
  fixture.start();
  const auto writer = fixture.house().writers.front();
  const auto late = ask<transaction_stored>(fixture, writer,
                                            transaction("late", fixture.now()));
  const auto timely = ask<transaction_stored>(
    fixture, writer, transaction("timely", fixture.now() + seconds{1}));
  fixture.run();
  REQUIRE(late->failed);
  CHECK(late->failed->code == ec::expired);
  CHECK(timely->answer);
  CHECK(fixture.row("irc").next_seq == 2);
}

TEST_CASE("writer: one that ends answers every request at once") {
  for (size_t steps = 0; steps < 14; ++steps) {
    CAPTURE(steps);
    actor_fixture fixture;
    fixture.start();
    const auto writer = fixture.house().writers.front();
    std::vector<std::shared_ptr<replied<transaction_stored>>> asked_for;
    for (int i = 0; i < 6; ++i)
      asked_for.push_back(ask<transaction_stored>(
        fixture, writer,
        transaction(std::to_string(i), fixture.now() + seconds{9})));
    for (size_t i = 0; i < steps; ++i)
      (void)fixture.step();
    fixture.kill("store_writer");
    fixture.advance(seconds{1});
    const auto tables = fixture.database.copy();
    for (size_t i = 0; i < asked_for.size(); ++i) {
      const auto& each = *asked_for[i];
      CHECK(each.answer.has_value() != each.failed.has_value());
      // What was acknowledged is there.
      if (each.answer)
        CHECK(tables->inbound.contains(
          {tables->queue_ids.at("irc"), std::to_string(i), 0}));
    }
  }
}

TEST_CASE("queue: a pin that is told after it was settled is not sent again") {
  actor_fixture fixture;
  fixture.start();
  const auto stored_one
    = ask<transaction_stored>(fixture, fixture.house().writers.front(),
                              transaction("1", fixture.now() + seconds{1}));
  fixture.run();
  REQUIRE(stored_one->answer);
  REQUIRE(stored_one->answer->pinned);
  const auto to = fixture.house().directory;
  caf::anon_send(to, wake_queue{{"irc"}, {}}); // As the directory's scan does.
  fixture.run();
  CHECK(fixture.network.sent_to(irc).size() == 1);
  caf::anon_send(to, wake_queue{{"irc"}, stored_one->answer->pinned});
  fixture.run();
  CHECK(fixture.network.sent_to(irc).size() == 1);
  SUBCASE("nor by a queue that loaded another") {
    (void)fixture.offer("irc", "2");
    fixture.run();
  }
  SUBCASE("nor by the next queue after an idle time") {
    fixture.advance(minutes{1});
    caf::anon_send(to, wake_queue{{"irc"}, stored_one->answer->pinned});
    fixture.run();
    CHECK(fixture.network.sent_to(irc).size() == 1);
    caf::anon_send(to, wake_queue{{"irc"}, stored_one->answer->pinned});
    (void)fixture.offer("irc", "2");
    fixture.run();
  }
  CHECK(fixture.network.sent_to(irc).size() == 2);
}

TEST_CASE("directory: a wake that was lost is made up for by its scan") {
  actor_fixture fixture;
  fixture.start();
  (void)fixture.offer("irc", "1");
  fixture.run(); // A queue lives, and knows that nothing is owed.
  (void)ask<transaction_stored>(fixture, fixture.house().writers.front(),
                                transaction("2", fixture.now() + seconds{1}));
  fixture.advance(fixture.settings.owed_scan_every);
  CHECK(fixture.network.sent_to(irc).size() == 2);
}

TEST_CASE("drain: a stuck writer holds nobody for longer than five seconds") {
  actor_fixture fixture;
  fixture.start();
  auto stuck = fixture.system().spawn<stuck_writer>();
  auto around = std::make_shared<peers>(fixture.house());
  around->writers = {stuck};
  auto alone
    = fixture.system().spawn<gateway>(std::shared_ptr<const peers>{around});
  std::vector<milliseconds> answers;
  const auto offer = [&](const std::string& id) {
    caf::anon_send(
      alone,
      offer_transaction{transaction(id, {}),
                        fixture.now() + seconds{45},
                        {[&](const expected<transaction_stored>& told) {
                          CHECK_FALSE(told.has_value());
                          answers.push_back(fixture.elapsed());
                        }}});
  };
  offer("1");
  fixture.advance(seconds{3});
  caf::anon_send(alone, end_holds_now{});
  fixture.advance(seconds{1});
  offer("2");
  fixture.advance(seconds{30});
  CHECK(answers == std::vector<milliseconds>{seconds{8}, seconds{8}});
  caf::anon_send_exit(stuck, caf::exit_reason::kill);
  caf::anon_send_exit(alone, caf::exit_reason::kill);
  fixture.run();
}

TEST_CASE("gateway: a stuck writer holds nobody beyond the hold") {
  actor_fixture fixture;
  fixture.start();
  auto stuck = fixture.system().spawn<stuck_writer>();
  auto around = std::make_shared<peers>(fixture.house());
  around->writers = {stuck};
  auto alone
    = fixture.system().spawn<gateway>(std::shared_ptr<const peers>{around});
  size_t answers = 0;
  milliseconds at{0};
  caf::anon_send(
    alone,
    offer_transaction{transaction("1", {}),
                      fixture.now() + seconds{45},
                      {[&](const expected<transaction_stored>& answer) {
                        ++answers;
                        at = fixture.elapsed();
                        CHECK_FALSE(answer.has_value());
                      }}});
  fixture.advance(seconds{60});
  CHECK(answers == 1);
  CHECK(at.count() <= 45'000);
  CHECK(at.count() >= 44'000);
  caf::anon_send_exit(stuck, caf::exit_reason::kill);
  caf::anon_send_exit(alone, caf::exit_reason::kill);
  fixture.run();
}
