#include "actors/trace/replay_world.hpp"

#include "actors/children.hpp"
#include "actors/trace/registry_types.hpp"

#include <charconv>
#include <functional>

namespace weir::trace {

namespace {

/// Takes the place of an actor that is not replayed.
class stand_in final : public caf::abstract_actor, public traced {
public:
  stand_in(caf::actor_config& config, const std::string& label, bool tells)
    : caf::abstract_actor(config),
      tells_{tells} {
    const auto mark = label.rfind('#');
    in_trace_.name = label.substr(0, mark);
    if (mark != std::string::npos)
      std::from_chars(label.data() + mark + 1, label.data() + label.size(),
                      in_trace_.incarnation);
  }

  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit*) override {
    if (tells_ && is_on())
      note_enqueue(in_trace_, id(), *what);
  }
  void attach(caf::attachable_ptr) override {
  }
  size_t detach(const caf::attachable::token&) override {
    return 0;
  }
  void add_link(caf::abstract_actor*) override {
  }
  void remove_link(caf::abstract_actor*) override {
  }
  bool add_backlink(caf::abstract_actor*) override {
    return false;
  }
  bool remove_backlink(caf::abstract_actor*) override {
    return false;
  }

private:
  bool tells_;
};

caf::strong_actor_ptr make_stand_in(caf::actor_system& system,
                                    const std::string& label, bool tells) {
  caf::actor_config config;
  return caf::make_actor<stand_in, caf::strong_actor_ptr>(
    system.next_actor_id(), system.node(), &system, config, label, tells);
}

/// One argument of the recorded construction. The codecs are asked by type, so
/// that those of registry.cpp, which know handles, are the only ones.
template <class T>
T argument(const json& arguments, size_t index, reading& how) {
  T value{};
  if (index >= arguments.size())
    how.fail("an argument of the start is missing");
  else
    codec_of(typeid(T))->read(arguments[index], &value, how);
  return value;
}

using house_ptr = std::shared_ptr<const peers>;
using settings_ptr = std::shared_ptr<const house_settings>;

/// How an actor of one kind is made anew.
using maker = std::function<caf::strong_actor_ptr(
  caf::actor_system&, replay_world&, const json&, reading&)>;

template <class Actor, class... Args>
caf::strong_actor_ptr spawn_as(caf::actor_system& system, const reading& how,
                               Args... args) {
  if (!how.problem.empty())
    return nullptr;
  return caf::actor_cast<caf::strong_actor_ptr>(
    system.spawn<Actor>(std::move(args)...));
}

caf::strong_actor_ptr make_directory(caf::actor_system& system,
                                     replay_world& world, const json& given,
                                     reading& how) {
  auto config = argument<directory_config>(given, 0, how);
  config.spawn_queue
    = [&world](traced_actor<directory_actor>&, const queue_settings&,
               const std::shared_ptr<const peers>&) {
        return caf::actor_cast<appservice_queue_actor>(world.next_spawned());
      };
  return spawn_as<directory>(system, how, config,
                             argument<house_ptr>(given, 1, how));
}

caf::strong_actor_ptr make_realm_directory(caf::actor_system& system,
                                           replay_world& world,
                                           const json& given, reading& how) {
  auto config = argument<realm_directory_config>(given, 0, how);
  config.spawn_queue
    = [&world](traced_actor<realm_directory_actor>&, const realm_id&,
               const std::shared_ptr<const peers>&) {
        return caf::actor_cast<realm_queue_actor>(world.next_spawned());
      };
  return spawn_as<realm_directory>(system, how, config,
                                   argument<house_ptr>(given, 1, how));
}

caf::strong_actor_ptr make_pinger(caf::actor_system& system, const json& given,
                                  reading& how) {
  auto config = argument<pinger_config>(given, 0, how);
  // What the recorded one made is drawn from the trace.
  config.make_ping = [](const appservice_id&) { return http_request{}; };
  return spawn_as<pinger>(system, how, config,
                          argument<house_ptr>(given, 1, how));
}

caf::strong_actor_ptr make_store_writer(caf::actor_system& system,
                                        const json& given, reading& how) {
  auto config = argument<store_writer_config>(given, 0, how);
  // All that these give is drawn from the trace.
  config.open = []() -> expected<std::unique_ptr<store>> {
    return std::unique_ptr<store>{};
  };
  config.draw_run = [] { return uint64_t{0}; };
  config.elapsed_clock = [] { return milliseconds{0}; };
  return spawn_as<store_writer>(system, how, config);
}

caf::strong_actor_ptr make_store_reader(caf::actor_system& system,
                                        const reading& how) {
  const open_reader_function none
    = []() -> expected<std::unique_ptr<store_reader>> {
    return fail(ec::unavailable, "not in the trace");
  };
  return spawn_as<store_reader_process>(system, how, none, token_source{});
}

caf::strong_actor_ptr make_supervisor(caf::actor_system& system,
                                      replay_world& world, const json& given,
                                      reading& how) {
  auto config = argument<supervisor_config>(given, 0, how);
  std::map<std::string, size_t> known;
  for (auto& child : config.children) {
    if (!is_child_name(child.name)) {
      how.fail("a child that is not known: " + child.name);
      return nullptr;
    }
    const bool reloads = child.reloads;
    child = child_named(
      child.name, known[child.name]++, [&world](auto&, const peers&, auto) {
        return caf::actor_cast<caf::actor>(world.next_spawned());
      });
    child.reloads = reloads;
  }
  return spawn_as<supervisor>(system, how, config);
}

const std::map<std::string, maker>& makers() {
  static const std::map<std::string, maker> table{
    {appservice_queue_state::name,
     [](auto& system, auto&, const json& given, reading& how) {
       return spawn_as<appservice_queue>(
         system, how, argument<appservice_queue_config>(given, 0, how),
         argument<house_ptr>(given, 1, how));
     }},
    {directory_state::name, make_directory},
    {homeserver_session_state::name,
     [](auto& system, auto&, const json& given, reading& how) {
       return spawn_as<homeserver_session>(
         system, how, argument<settings_ptr>(given, 0, how),
         argument<house_ptr>(given, 1, how));
     }},
    {pacer_state::name,
     [](auto& system, auto&, const json& given, reading& how) {
       return spawn_as<account_pacer>(
         system, how, argument<settings_ptr>(given, 0, how),
         argument<uint64_t>(given, 1, how), argument<house_ptr>(given, 2, how));
     }},
    {realm_directory_state::name, make_realm_directory},
    {realm_queue_state::name,
     [](auto& system, auto&, const json& given, reading& how) {
       return spawn_as<realm_queue>(system, how,
                                    argument<realm_queue_config>(given, 0, how),
                                    argument<house_ptr>(given, 1, how));
     }},
    {gateway_state::name,
     [](auto& system, auto&, const json& given, reading& how) {
       return spawn_as<gateway>(system, how,
                                argument<house_ptr>(given, 0, how));
     }},
    {realm_gateway_state::name,
     [](auto& system, auto&, const json& given, reading& how) {
       return spawn_as<realm_gateway>(system, how,
                                      argument<house_ptr>(given, 0, how));
     }},
    {janitor_state::name,
     [](auto& system, auto&, const json& given, reading& how) {
       return spawn_as<janitor>(system, how,
                                argument<settings_ptr>(given, 0, how),
                                argument<house_ptr>(given, 1, how));
     }},
    {store_writer_state::name,
     [](auto& system, auto&, const json& given, reading& how) {
       return make_store_writer(system, given, how);
     }},
    {store_reader_state::name,
     [](auto& system, auto&, const json&, reading& how) {
       return make_store_reader(system, how);
     }},
    {supervisor_state::name, make_supervisor},
    {pinger_state::name,
     [](auto& system, auto&, const json& given, reading& how) {
       return make_pinger(system, given, how);
     }},
  };
  return table;
}

} // namespace

replay_world::replay_world() {
  config_.set("scheduler.policy", caf::atom("testing"));
  config_.set("logger.console", caf::atom("none"));
  system_ = std::make_unique<caf::actor_system>(config_);
  // NOLINTNEXTLINE(cppcoreguidelines-prefer-member-initializer): of `system_`.
  scheduler_
    = dynamic_cast<caf::scheduler::test_coordinator*>(&system_->scheduler());
}

replay_world::~replay_world() = default;

caf::strong_actor_ptr replay_world::named(const std::string& label) {
  auto& found = stand_ins_[label];
  if (!found)
    found = make_stand_in(*system_, label, true);
  return found;
}

caf::strong_actor_ptr replay_world::nobody() {
  auto& found = stand_ins_[""];
  if (!found)
    found = make_stand_in(*system_, "?", false);
  return found;
}

caf::strong_actor_ptr replay_world::next_spawned() {
  if (seams.spawned.empty())
    return named("one too many#1");
  const auto label = seams.spawned.front().get<std::string>();
  seams.spawned.pop_front();
  auto made = named(label);
  note_spawn(label);
  return made;
}

caf::strong_actor_ptr replay_world::make(const std::string& kind,
                                         const json& arguments, reading& how) {
  how.actors = this;
  if (kind == transport_state::name)
    return spawn_as<transport>(*system_, how,
                               static_cast<outbound_http*>(&network_));
  const auto found = makers().find(kind);
  if (found != makers().end())
    return found->second(*system_, *this, arguments, how);
  how.fail("an actor of a kind that is not known: " + kind);
  return nullptr;
}

void replay_world::set_time(instant now) {
  // Not `advance_time`: the timers of the replayed actor are in the trace.
  scheduler_->clock().current_time = now;
}

void replay_world::run() {
  scheduler_->run();
}

void replay_world::end(const caf::strong_actor_ptr& actor) {
  caf::anon_send_exit(caf::actor_cast<caf::actor>(actor),
                      caf::exit_reason::kill);
  scheduler_->run();
  scheduler_->clock().cancel_all();
}

} // namespace weir::trace
