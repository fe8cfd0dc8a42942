#include "tests/sim/node.hpp"

#include "actors/children.hpp"
#include "actors/interfaces.hpp"
#include "actors/supervisor.hpp"
#include "tests/support/actors/errand.hpp"

#include <caf/scheduler/test_coordinator.hpp>

#include <map>

namespace weir::sim {

namespace {

using test::errand;
using test::errand_actor;
using test::prepared;

/// Beyond any drain.
constexpr std::chrono::minutes drain_wait{60};

} // namespace

class node::impl {
public:
  impl(uint64_t order_seed, bool each_message_alone)
    : system{prepared(system_config)},
      scheduler{
        dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler())},
      order{order_seed},
      fine{each_message_alone} {
  }

  caf::actor_system_config system_config;
  caf::actor_system system;
  caf::scheduler::test_coordinator& scheduler;
  dice order;
  bool fine = false;
  milliseconds began{0};
  instant began_at{};
  supervisor_actor supervisor;
  std::shared_ptr<const peers> house;
  std::map<std::string, caf::actor_addr> children;
  caf::actor errands;
  size_t children_count = 0;

  [[nodiscard]] instant moment(milliseconds at) const {
    return began_at + (at - began);
  }
  void run_all() {
    while (!scheduler.jobs.empty())
      scheduler.run_once();
  }
};

node::node(house_config config, milliseconds now, uint64_t order_seed,
           bool fine)
  : impl_{std::make_unique<impl>(order_seed, fine)} {
  auto* of = impl_.get();
  of->began = now;
  of->began_at = of->scheduler.clock().now();
  supervisor_config to;
  to.children = house_children(config);
  to.settings = config.settings;
  of->children_count = to.children.size();
  for (auto& child : to.children)
    child.spawn = [of, name = child.name, spawn = child.spawn](
                    traced_actor<supervisor_actor>& self, peers& all,
                    std::shared_ptr<const peers> known) {
      auto result = spawn(self, all, std::move(known));
      of->children[name] = result.address();
      return result;
    };
  to.drain_timeout = config.settings->drain_timeout;
  to.on_give_up = config.on_give_up;
  to.on_change
    = [of](std::shared_ptr<const peers> all) { of->house = std::move(all); };
  of->errands = of->system.spawn<errand_actor>();
  of->supervisor = of->system.spawn<supervisor>(std::move(to));
  while (!of->house && !of->scheduler.jobs.empty())
    of->scheduler.run_once();
}

node::~node() {
  caf::anon_send_exit(impl_->supervisor, caf::exit_reason::user_shutdown);
  impl_->supervisor = nullptr;
  impl_->house.reset();
  caf::anon_send_exit(impl_->errands, caf::exit_reason::kill);
  impl_->errands = nullptr;
  impl_->run_all();
  // Timers hold their actors.
  impl_->scheduler.clock().cancel_all();
  impl_->run_all();
  WEIR_ASSERT(actors() == 0); // Else the system would wait for ever.
}

bool node::step() {
  auto& jobs = impl_->scheduler.jobs;
  if (jobs.empty())
    return false;
  // One that has more to do stands first again: drawn each time, others come
  // between its messages.
  if (jobs.size() > 1 && (impl_->fine || impl_->order.one_in(4)))
    std::swap(jobs.front(), jobs[impl_->order.below(jobs.size())]);
  impl_->scheduler.run_once();
  return true;
}

std::optional<milliseconds> node::next_timer() const {
  const auto& waiting = impl_->scheduler.clock().schedule();
  if (waiting.empty())
    return {};
  return impl_->began
    + std::chrono::ceil<milliseconds>(waiting.begin()->first - impl_->began_at);
}

void node::advance_to(milliseconds now) {
  auto& clock = impl_->scheduler.clock();
  const auto by = impl_->moment(now) - clock.now();
  clock.advance_time(std::max(by, instant::duration::zero()));
}

void node::offer(accept_transaction request, milliseconds hold,
                 std::function<void(expected<transaction_stored>)> done) {
  const auto until = impl_->scheduler.clock().now() + hold;
  caf::anon_send(
    impl_->house->gateway,
    offer_transaction{std::move(request), until, {std::move(done)}});
}

void node::command(const queue_command& what,
                   std::function<void(expected<command_done>)> done) {
  caf::anon_send(impl_->house->gateway, give_command{what, {std::move(done)}});
}

void node::replay(const replay_letters& which,
                  std::function<void(expected<kept_changed>)> done) {
  caf::anon_send(impl_->house->gateway, ask_replay{which, {std::move(done)}});
}

void node::drop(const drop_letters& which,
                std::function<void(expected<kept_changed>)> done) {
  caf::anon_send(impl_->house->gateway, ask_drop{which, {std::move(done)}});
}

void node::remove(const appservice_id& id,
                  std::function<void(expected<removal_done>)> done) {
  caf::anon_send(impl_->house->gateway,
                 ask_removal{{id, {}, "operator", {}, {}}, {std::move(done)}});
}

void node::alive(const appservice_id& id) {
  caf::anon_send(impl_->house->gateway, bridge_alive{id});
}

void node::reload(const house_settings& now) {
  caf::anon_send(impl_->supervisor,
                 use_settings{std::make_shared<const house_settings>(now)});
}

void node::wake(const appservice_id& id,
                std::optional<owed_transaction> pinned) {
  caf::anon_send(impl_->house->directory, wake_queue{id, std::move(pinned)});
}

void node::ready(std::function<void(expected<stored>)> done) {
  caf::anon_send(impl_->house->gateway, ask_ready{{std::move(done)}});
}

void node::queues(std::function<void(expected<queues_page>)> done) {
  caf::anon_send(impl_->house->gateway, ask_queues{{}, {std::move(done)}});
}

void node::drain(std::function<void()> done) {
  caf::anon_send(impl_->errands,
                 errand{[done = std::move(done),
                         to = impl_->supervisor](caf::event_based_actor& self) {
                   self.request(to, caf::duration{drain_wait}, drain_request{})
                     .then([done](const drained&) { done(); },
                           [done](const caf::error&) { done(); });
                 }});
}

void node::kill(const std::string& name) {
  caf::anon_send_exit(impl_->children.at(name), caf::exit_reason::kill);
}

size_t node::actors() const {
  return impl_->system.registry().running();
}

size_t node::actors_at_rest() const {
  return impl_->children_count + 2; // And the supervisor and our errands.
}

size_t node::timers() const {
  return impl_->scheduler.clock().schedule().size();
}

} // namespace weir::sim
