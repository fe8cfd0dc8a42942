#include "tests/support/actors/actor_fixture.hpp"

#include "actors/children.hpp"
#include "actors/interfaces.hpp"
#include "actors/supervisor.hpp"
#include "schema/transaction.hpp"
#include "tests/support/actors/errand.hpp"
#include "tests/support/memory_store/memory_state.hpp"

#include <caf/scheduler/test_coordinator.hpp>

namespace weir::test {

namespace {

using std::chrono::duration_cast;

/// A run that takes more than this is a loop.
constexpr size_t steps_max = 5'000'000;
/// Beyond any drain time-out.
constexpr std::chrono::minutes drain_wait{60};
/// Database time when the fixture begins.
constexpr stored_time epoch{1'700'000'000'000};

std::string body_of(const std::string& txn, size_t events) {
  std::string body = R"({"events":[)";
  for (size_t i = 0; i < events; ++i) {
    if (i > 0)
      body += ',';
    body += R"({"event_id":"$)" + txn + '-' + std::to_string(i)
      + R"(","type":"m.room.message","room_id":"!r:x"})";
  }
  return body + "]}";
}

} // namespace

queue_settings bridge(const std::string& name) {
  queue_settings result;
  result.id = {name};
  result.peer.url = "http://" + name;
  result.hs_token = "token-of-" + name;
  result.limits.pause.jitter = 0;
  return result;
}

class actor_fixture::impl {
public:
  impl()
    : system{prepared(system_config)},
      scheduler{
        dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler())},
      began{scheduler.clock().now()} {
  }

  caf::actor_system_config system_config;
  caf::actor_system system;
  caf::scheduler::test_coordinator& scheduler;
  instant began;
  std::optional<std::mt19937_64> order;
  supervisor_actor supervisor;
  std::shared_ptr<const peers> house;
  std::map<std::string, caf::actor_addr> children;
  std::vector<caf::actor> errands;
};

actor_fixture::actor_fixture(std::vector<queue_settings> bridges)
  : network{[this] { return elapsed(); }},
    impl_{std::make_unique<impl>()} {
  settings.queues = std::move(bridges);
  settings.seed = 1;
  config.writers = 1;
  config.readers = 1;
  config.node = "test";
  config.store_threads = false;
  set_seams();
}

void actor_fixture::set_seams() {
  database.set_clock([this] { return epoch + elapsed(); });
  config.open_store = [this]() -> expected<std::unique_ptr<store>> {
    ++opened_stores;
    return database.connect();
  };
  config.open_reader = [this]() -> expected<std::unique_ptr<store_reader>> {
    return database.connect_reader();
  };
  config.network = &network;
  config.elapsed_clock = [this] { return elapsed(); };
  config.random = [engine = std::mt19937_64{7}]() mutable { return engine(); };
  config.on_give_up = [this] { ++give_ups; };
}

actor_fixture::~actor_fixture() {
  stop();
  for (const auto& each : impl_->errands)
    caf::anon_send_exit(each, caf::exit_reason::kill);
  impl_->errands.clear();
  run();
  // Timers hold their actors, and so does the network with its continuations.
  impl_->scheduler.clock().cancel_all();
  network.hang_up();
  run();
  WEIR_ASSERT(running_actors() == 0); // Else the system would wait for ever.
}

void actor_fixture::start() {
  config.settings = std::make_shared<const house_settings>(settings);
  supervisor_config to;
  to.children = house_children(config);
  to.settings = config.settings;
  for (auto& child : to.children)
    child.spawn = [this, name = child.name, spawn = child.spawn](
                    traced_actor<supervisor_actor>& self, peers& all,
                    std::shared_ptr<const peers> now) {
      if (before_spawn)
        before_spawn(name);
      auto result = spawn(self, all, std::move(now));
      ++starts[name];
      impl_->children[name] = result.address();
      return result;
    };
  to.drain_timeout = settings.drain_timeout;
  to.on_give_up = config.on_give_up;
  to.on_change = [this](std::shared_ptr<const peers> now) {
    impl_->house = std::move(now);
  };
  impl_->supervisor = impl_->system.spawn<supervisor>(std::move(to));
  run();
}

void actor_fixture::stop() {
  if (!impl_->supervisor)
    return;
  caf::anon_send_exit(impl_->supervisor, caf::exit_reason::user_shutdown);
  impl_->supervisor = nullptr;
  impl_->house.reset();
  run();
}

void actor_fixture::run() {
  size_t steps = 0;
  while (step())
    WEIR_ASSERT(++steps < steps_max);
}

bool actor_fixture::step() {
  auto& jobs = impl_->scheduler.jobs;
  if (jobs.empty())
    return false;
  if (impl_->order && jobs.size() > 1)
    std::swap(jobs.front(), jobs[(*impl_->order)() % jobs.size()]);
  impl_->scheduler.run_once();
  return true;
}

void actor_fixture::advance(milliseconds by) {
  auto& clock = impl_->scheduler.clock();
  const auto until = clock.now() + by;
  const auto move_to = [&](instant moment) {
    clock.advance_time(
      std::max(moment - clock.now(), instant::duration::zero()));
    network.answer_due();
    run();
  };
  run();
  for (;;) {
    auto next = until;
    if (!clock.schedule().empty())
      next = std::min(next, clock.schedule().begin()->first);
    if (const auto due = network.next_due())
      next = std::min(next, impl_->began + *due);
    if (next >= until)
      break;
    move_to(next);
  }
  move_to(until);
}

void actor_fixture::move_clock(milliseconds by) {
  impl_->scheduler.clock().advance_time(by);
  network.answer_due();
}

milliseconds actor_fixture::elapsed() const {
  return impl_ ? duration_cast<milliseconds>(now() - impl_->began)
               : milliseconds{0};
}

instant actor_fixture::now() const {
  return impl_->scheduler.clock().now();
}

void actor_fixture::shuffle(uint64_t seed) {
  impl_->order.emplace(seed);
}

template <class T>
std::function<void(T)> actor_fixture::keep(const asked_ptr<T>& in) {
  return [this, in](T answer) {
    in->answer.emplace(std::move(answer));
    in->at = elapsed();
    ++in->answers;
  };
}

asked_ptr<expected<transaction_stored>>
actor_fixture::offer(const std::string& bridge, const std::string& txn,
                     size_t events, milliseconds hold) {
  auto result = std::make_shared<asked<expected<transaction_stored>>>();
  accept_transaction request;
  request.appservice = {bridge};
  request.hs_txn_id = txn;
  request.content = shared{slice_transaction(body_of(txn, events)).value()};
  caf::anon_send(
    house().gateway,
    offer_transaction{std::move(request), now() + hold, {keep(result)}});
  return result;
}

asked_ptr<expected<quarantined>>
actor_fixture::quarantine(const std::string& bridge, const std::string& body) {
  auto result = std::make_shared<asked<expected<quarantined>>>();
  caf::anon_send(house().gateway,
                 offer_quarantine{{{bridge},
                                   "txn",
                                   shared_bytes{body},
                                   "not_json",
                                   now() + limits::operation_deadline},
                                  {keep(result)}});
  return result;
}

asked_ptr<expected<transaction_stored>>
actor_fixture::offer_body(const std::string& bridge, const std::string& txn,
                          const std::string& body) {
  auto result = std::make_shared<asked<expected<transaction_stored>>>();
  accept_transaction request;
  request.appservice = {bridge};
  request.hs_txn_id = txn;
  request.content = shared{slice_transaction(body).value()};
  for (const auto& each : settings.queues)
    if (each.id.value == bridge)
      request.bounds = each.bounds;
  caf::anon_send(house().gateway,
                 offer_transaction{std::move(request),
                                   now() + milliseconds{45'000},
                                   {keep(result)}});
  return result;
}

asked_ptr<expected<stored>> actor_fixture::ready() {
  auto result = std::make_shared<asked<expected<stored>>>();
  caf::anon_send(house().gateway, ask_ready{{keep(result)}});
  return result;
}

asked_ptr<expected<queues_page>> actor_fixture::queues() {
  auto result = std::make_shared<asked<expected<queues_page>>>();
  caf::anon_send(house().gateway, ask_queues{{}, {keep(result)}});
  return result;
}

asked_ptr<expected<store_figures>> actor_fixture::figures() {
  auto result = std::make_shared<asked<expected<store_figures>>>();
  caf::anon_send(house().gateway, ask_store_figures{{}, {keep(result)}});
  return result;
}

asked_ptr<expected<command_done>> actor_fixture::command(queue_command what) {
  auto result = std::make_shared<asked<expected<command_done>>>();
  caf::anon_send(house().gateway,
                 give_command{std::move(what), {keep(result)}});
  return result;
}

asked_ptr<expected<kept_changed>>
actor_fixture::replay(const std::string& bridge) {
  auto result = std::make_shared<asked<expected<kept_changed>>>();
  caf::anon_send(
    house().gateway,
    ask_replay{{{bridge}, {}, test::bridge(bridge).bounds, "ada", {}},
               {keep(result)}});
  return result;
}

asked_ptr<http_answer> actor_fixture::request(http_request what) {
  auto result = std::make_shared<asked<http_answer>>();
  caf::anon_send(house().gateway, ask_http{std::move(what), {keep(result)}});
  return result;
}

asked_ptr<drained> actor_fixture::drain() {
  auto result = std::make_shared<asked<drained>>();
  as_actor([done = keep(result),
            to = impl_->supervisor](caf::event_based_actor& self) {
    self.request(to, caf::duration{drain_wait}, drain_request{})
      .then([done](const drained& what) { done(what); },
            [](const caf::error&) {});
  });
  return result;
}

void actor_fixture::reload(std::vector<queue_settings> bridges) {
  settings.queues = std::move(bridges);
  caf::anon_send(
    impl_->supervisor,
    use_settings{std::make_shared<const house_settings>(settings)});
}

void actor_fixture::alive(const std::string& bridge) {
  caf::anon_send(house().gateway, bridge_alive{{bridge}});
}

void actor_fixture::kill(const std::string& name) {
  caf::anon_send_exit(impl_->children.at(name), caf::exit_reason::kill);
}

queue_row actor_fixture::row(const std::string& bridge) const {
  const auto tables = database.copy();
  const auto found = tables->queue_ids.find(bridge);
  return found == tables->queue_ids.end() ? queue_row{}
                                          : tables->queues.at(found->second);
}

std::optional<queue_status_row>
actor_fixture::status_row(const std::string& bridge) const {
  const auto tables = database.copy();
  const auto found = tables->statuses.find("appservice/" + bridge);
  if (found == tables->statuses.end())
    return {};
  return found->second;
}

size_t actor_fixture::running_actors() const {
  return impl_->system.registry().running();
}

size_t actor_fixture::timers() const {
  return impl_->scheduler.clock().schedule().size();
}

caf::actor_system& actor_fixture::system() {
  return impl_->system;
}

const peers& actor_fixture::house() const {
  return *impl_->house;
}

void actor_fixture::as_actor(
  std::function<void(caf::event_based_actor&)> work) {
  auto to = impl_->system.spawn<errand_actor>();
  impl_->errands.push_back(to);
  caf::anon_send(to, errand{std::move(work)});
}

} // namespace weir::test
