#include "actors/house.hpp"

#include "actors/appservice_queue.hpp"
#include "actors/children.hpp"
#include "actors/realm_door_channel.hpp"
#include "actors/supervisor.hpp"

#include <condition_variable>
#include <mutex>

namespace weir {

namespace {

caf::actor_system_config system_config(const house_config& config) {
  caf::actor_system_config result;
  result.set("scheduler.max-threads", config.threads);
  result.set("scheduler.policy", caf::atom("sharing"));
  // Without a bound one flooded actor keeps its worker until it is empty.
  result.set("scheduler.max-throughput", config.max_throughput);
  result.set("logger.console", caf::atom("none"));
  return result;
}

} // namespace

class house::impl {
public:
  explicit impl(house_config config)
    : config_{std::move(config)},
      system_config_{system_config(config_)},
      system_{system_config_} {
    supervisor_config to;
    to.children = house_children(config_);
    to.settings = config_.settings;
    to.drain_timeout = config_.settings->drain_timeout;
    to.on_give_up = [this] { gave_up(); };
    to.on_change
      = [this](const std::shared_ptr<const peers>& now) { use(*now); };
    supervisor_ = system_.spawn<supervisor>(std::move(to));
    // It starts on a thread of the actors. Until then there is no door, and
    // whoever came would be turned away.
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return gateway_ || gave_up_; });
  }

  ~impl() {
    {
      const std::lock_guard guard{mutex_};
      closed_ = true;
      gateway_ = nullptr;
      realm_gateway_ = nullptr;
    }
    caf::anon_send_exit(supervisor_, caf::exit_reason::user_shutdown);
    supervisor_ = nullptr;
  }

  template <class Message>
  void tell(Message message) {
    caf::anon_send(door(), std::move(message));
  }

  void use(use_settings now) {
    caf::anon_send(supervisor_, std::move(now));
  }

  instant now() {
    return system_.clock().now();
  }

  [[nodiscard]] const realm_door& realms() const {
    return realms_;
  }

  void drain() {
    caf::scoped_actor self{system_};
    const auto bound
      = config_.settings->drain_timeout + std::chrono::seconds{5};
    self->request(supervisor_, caf::duration{bound}, drain_request{})
      .receive([](const drained&) {}, [](const caf::error&) {});
  }

private:
  void use(const peers& now) {
    const std::lock_guard guard{mutex_};
    if (!closed_) {
      gateway_ = now.gateway;
      realm_gateway_ = now.realm_gateway;
    }
    changed_.notify_all();
  }

  void gave_up() {
    {
      const std::lock_guard guard{mutex_};
      gave_up_ = true;
      changed_.notify_all();
    }
    if (config_.on_give_up)
      config_.on_give_up();
  }

  /// The gateway. Between its end and its restart this is the one that ended:
  /// what is sent to it is answered by the end of the callback.
  gateway_actor door() {
    const std::lock_guard guard{mutex_};
    return gateway_;
  }

  /// The same of realms.
  realm_gateway_actor realm_door_now() {
    const std::lock_guard guard{mutex_};
    return realm_gateway_;
  }

  house_config config_;
  caf::actor_system_config system_config_;
  // Before the system, which outlasts the supervisor that calls back here.
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;
  bool gave_up_ = false;
  gateway_actor gateway_;
  realm_gateway_actor realm_gateway_;
  realm_door realms_{std::make_shared<const realm_door::channel>(
    [this] { return realm_door_now(); })};
  caf::actor_system system_;
  supervisor_actor supervisor_;
};

house::house(house_config config)
  : impl_{std::make_unique<impl>(std::move(config))} {
}

house::~house() = default;

void house::offer(accept_transaction request, milliseconds hold_for,
                  std::function<void(expected<transaction_stored>)> done) {
  impl_->tell(offer_transaction{
    std::move(request), impl_->now() + hold_for, {std::move(done)}});
}

void house::quarantine(quarantine_body request,
                       std::function<void(expected<quarantined>)> done) {
  request.deadline = impl_->now() + limits::operation_deadline;
  impl_->tell(offer_quarantine{std::move(request), {std::move(done)}});
}

void house::alive(const appservice_id& id) {
  impl_->tell(bridge_alive{id});
}

void house::request(http_request what, std::function<void(http_answer)> done) {
  impl_->tell(ask_http{std::move(what), {std::move(done)}});
}

void house::queues(read_queues request,
                   std::function<void(expected<queues_page>)> done) {
  impl_->tell(ask_queues{request, {std::move(done)}});
}

void house::queue(read_queue request,
                  std::function<void(expected<queues_page>)> done) {
  impl_->tell(ask_queue{std::move(request), {std::move(done)}});
}

void house::commands(read_commands request,
                     std::function<void(expected<commands_page>)> done) {
  impl_->tell(ask_commands{request, {std::move(done)}});
}

void house::figures(std::function<void(expected<store_figures>)> done) {
  impl_->tell(ask_store_figures{{}, {std::move(done)}});
}

void house::command(queue_command what,
                    std::function<void(expected<command_done>)> done) {
  impl_->tell(give_command{std::move(what), {std::move(done)}});
}

void house::dead_letters(
  read_dead_letters request,
  std::function<void(expected<dead_letters_page>)> done) {
  impl_->tell(ask_dead_letters{std::move(request), {std::move(done)}});
}

void house::dead_letter(read_dead_letter request,
                        std::function<void(expected<dead_letters_page>)> done) {
  impl_->tell(ask_dead_letter{request, {std::move(done)}});
}

void house::replay(replay_letters request,
                   std::function<void(expected<kept_changed>)> done) {
  impl_->tell(ask_replay{std::move(request), {std::move(done)}});
}

void house::drop(drop_letters request,
                 std::function<void(expected<kept_changed>)> done) {
  impl_->tell(ask_drop{std::move(request), {std::move(done)}});
}

void house::quarantine_listing(
  read_quarantine request,
  std::function<void(expected<quarantine_page>)> done) {
  impl_->tell(ask_quarantine{std::move(request), {std::move(done)}});
}

void house::quarantined_body(
  read_quarantined request,
  std::function<void(expected<quarantine_page>)> done) {
  impl_->tell(ask_quarantined{request, {std::move(done)}});
}

void house::drop_bodies(drop_quarantined request,
                        std::function<void(expected<kept_changed>)> done) {
  impl_->tell(ask_drop_quarantined{std::move(request), {std::move(done)}});
}

void house::export_of(read_export request,
                      std::function<void(expected<export_page>)> done) {
  impl_->tell(ask_export{std::move(request), {std::move(done)}});
}

void house::remove(remove_appservice request,
                   std::function<void(expected<removal_done>)> done) {
  impl_->tell(ask_removal{std::move(request), {std::move(done)}});
}

void house::use(std::shared_ptr<const house_settings> settings) {
  impl_->use({std::move(settings)});
}

const realm_door& house::realms() const {
  return impl_->realms();
}

void house::ready(std::function<void(expected<stored>)> done) {
  impl_->tell(ask_ready{{std::move(done)}});
}

void house::drain() {
  impl_->drain();
}

} // namespace weir
