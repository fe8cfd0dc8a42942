#include "actors/children.hpp"

#include "actors/appservice_queue.hpp"
#include "actors/directory.hpp"
#include "actors/gateway.hpp"
#include "actors/homeserver_session.hpp"
#include "actors/janitor.hpp"
#include "actors/pacer.hpp"
#include "actors/pinger.hpp"
#include "actors/realm_directory.hpp"
#include "actors/realm_gateway.hpp"
#include "actors/realm_queue.hpp"
#include "actors/store_reader.hpp"
#include "actors/store_writer.hpp"
#include "actors/transport.hpp"

#include <algorithm>
#include <string_view>

namespace weir {

namespace {

/// A run is 48 random bits, written as 12 hex digits.
constexpr uint64_t run_mask = (uint64_t{1} << 48) - 1;

template <class Handle>
auto tell_peers() {
  return [](traced_actor<supervisor_actor>& self, const caf::actor& child,
            std::shared_ptr<const peers> now) {
    self.send(caf::actor_cast<Handle>(child), use_peers{std::move(now)});
  };
}

template <class Handle>
auto tell_settings() {
  return [](traced_actor<supervisor_actor>& self, const caf::actor& child,
            const use_settings& now) {
    self.send(caf::actor_cast<Handle>(child), now);
  };
}

template <class Handle>
void put(Handle& where, const caf::actor& child) {
  where = caf::actor_cast<Handle>(child);
}

template <class Handle>
void put(std::vector<Handle>& where, size_t index, const caf::actor& child) {
  where.resize(std::max(where.size(), index + 1));
  put(where[index], child);
}

/// What follows from the name of a child.
struct child_kind {
  std::string_view name;
  void (*place)(peers&, size_t index, const caf::actor& child);
  decltype(child_spec::tell) tell;
  decltype(child_spec::reload) reload;
};

const std::vector<child_kind>& child_kinds() {
  static const std::vector<child_kind> all{
    {store_writer_state::name,
     [](peers& to, size_t index, const caf::actor& child) {
       put(to.writers, index, child);
     },
     {},
     {}},
    {store_reader_state::name,
     [](peers& to, size_t index, const caf::actor& child) {
       put(to.readers, index, child);
     },
     {},
     {}},
    {transport_state::name,
     [](peers& to, size_t, const caf::actor& child) {
       put(to.transport, child);
     },
     {},
     {}},
    {directory_state::name,
     [](peers& to, size_t, const caf::actor& child) {
       put(to.directory, child);
     },
     tell_peers<directory_actor>(), tell_settings<directory_actor>()},
    {homeserver_session_state::name,
     [](peers& to, size_t, const caf::actor& child) { put(to.session, child); },
     tell_peers<session_actor>(),
     {}},
    {pacer_state::name,
     [](peers& to, size_t, const caf::actor& child) { put(to.pacer, child); },
     tell_peers<pacer_actor>(),
     {}},
    {realm_directory_state::name,
     [](peers& to, size_t, const caf::actor& child) { put(to.realms, child); },
     tell_peers<realm_directory_actor>(),
     {}},
    {gateway_state::name,
     [](peers& to, size_t, const caf::actor& child) { put(to.gateway, child); },
     tell_peers<gateway_actor>(),
     {}},
    {realm_gateway_state::name,
     [](peers& to, size_t, const caf::actor& child) {
       put(to.realm_gateway, child);
     },
     tell_peers<realm_gateway_actor>(),
     {}},
    {janitor_state::name, [](peers&, size_t, const caf::actor&) {},
     tell_peers<janitor_actor>(), tell_settings<janitor_actor>()},
    {pinger_state::name, [](peers&, size_t, const caf::actor&) {},
     tell_peers<pinger_actor>(), tell_settings<pinger_actor>()},
  };
  return all;
}

/// Spawns an actor that blocks.
template <class Actor, class... Args>
caf::actor spawn_blocking(caf::actor_system& system, bool own_thread,
                          Args... args) {
  return caf::actor_cast<caf::actor>(
    own_thread ? system.spawn<Actor, caf::detached>(std::move(args)...)
               : system.spawn<Actor>(std::move(args)...));
}

template <class Actor, class... Args>
caf::actor spawn_child(traced_actor<supervisor_actor>& self, Args... args) {
  return caf::actor_cast<caf::actor>(
    self.home_system().spawn<Actor>(std::move(args)...));
}

child_spec writer_spec(const house_config& config, size_t index) {
  store_writer_config to;
  to.open = config.open_store;
  to.slot = static_cast<uint32_t>(index + 1);
  to.owner = config.node;
  to.draw_run = [random = config.random] { return random() & run_mask; };
  to.elapsed_clock = config.elapsed_clock;
  return child_named(
    store_writer_state::name, index,
    [to, threads = config.store_threads](auto& self, const peers&, auto) {
      return spawn_blocking<store_writer>(self.home_system(), threads, to);
    });
}

child_spec reader_spec(const house_config& config, size_t index) {
  return child_named(
    store_reader_state::name, index,
    [open = config.open_reader,
     tokens = token_source{[made = config.tokens] { return made; }},
     threads = config.store_threads](auto& self, const peers&, auto) {
      return spawn_blocking<store_reader_process>(self.home_system(), threads,
                                                  open, tokens);
    });
}

child_spec transport_spec(const house_config& config) {
  return child_named(
    transport_state::name, 0,
    [network = config.network](auto& self, const peers&, auto) {
      return spawn_child<transport>(self, network);
    });
}

child_spec directory_spec(const house_config& config) {
  directory_config to;
  to.spawn_queue = [settings = config.settings, random = config.random](
                     auto& self, const queue_settings& queue,
                     std::shared_ptr<const peers> house) {
    return self.home_system().template spawn<appservice_queue>(
      appservice_queue_config{queue, settings->idle_after,
                              settings->seed != 0 ? settings->seed : random(),
                              settings->board},
      std::move(house));
  };
  return child_named(directory_state::name, 0,
                     [to](auto& self, const peers& all, auto known) mutable {
                       to.settings = all.settings;
                       return spawn_child<directory>(self, to, known);
                     });
}

child_spec session_spec(const house_config& config) {
  return child_named(
    homeserver_session_state::name, 0,
    [settings = config.settings](auto& self, const peers&, auto known) {
      return spawn_child<homeserver_session>(self, settings, known);
    });
}

child_spec pacer_spec(const house_config& config) {
  return child_named(
    pacer_state::name, 0,
    [settings = config.settings,
     random = config.random](auto& self, const peers&, auto known) {
      return spawn_child<account_pacer>(
        self, settings, settings->seed != 0 ? settings->seed : random(), known);
    });
}

child_spec realms_spec(const house_config& config) {
  realm_directory_config to;
  to.settings = config.settings;
  to.spawn_queue
    = [settings = config.settings](auto& self, const realm_id& realm,
                                   std::shared_ptr<const peers> house) {
        return self.home_system().template spawn<realm_queue>(
          realm_queue_config{realm, settings}, std::move(house));
      };
  return child_named(realm_directory_state::name, 0,
                     [to](auto& self, const peers&, auto known) {
                       return spawn_child<realm_directory>(self, to, known);
                     });
}

child_spec gateway_spec() {
  return child_named(gateway_state::name, 0,
                     [](auto& self, const peers&, auto known) {
                       return spawn_child<gateway>(self, known);
                     });
}

child_spec realm_gateway_spec() {
  return child_named(realm_gateway_state::name, 0,
                     [](auto& self, const peers&, auto known) {
                       return spawn_child<realm_gateway>(self, known);
                     });
}

child_spec janitor_spec() {
  return child_named(janitor_state::name, 0,
                     [](auto& self, const peers& all, auto known) {
                       return spawn_child<janitor>(self, all.settings, known);
                     });
}

child_spec pinger_spec(const house_config& config) {
  pinger_config to;
  to.make_ping = config.make_ping;
  to.seed = config.random();
  auto spec
    = child_named(pinger_state::name, 0,
                  [to](auto& self, const peers& all, auto known) mutable {
                    if (to.make_ping)
                      to.appservices = with_url(*all.settings);
                    return spawn_child<pinger>(self, to, known);
                  });
  spec.reloads = static_cast<bool>(config.make_ping);
  return spec;
}

} // namespace

child_spec child_named(const std::string& name, size_t index, make_child make) {
  const auto kind
    = std::find_if(child_kinds().begin(), child_kinds().end(),
                   [&](const child_kind& each) { return each.name == name; });
  WEIR_ASSERT(kind != child_kinds().end());
  child_spec spec;
  spec.name = name;
  spec.spawn = [place = kind->place, index, make = std::move(make)](
                 traced_actor<supervisor_actor>& self, peers& all,
                 std::shared_ptr<const peers> known) {
    auto child = make(self, all, std::move(known));
    place(all, index, child);
    return child;
  };
  spec.tell = kind->tell;
  spec.reload = kind->reload;
  return spec;
}

bool is_child_name(const std::string& name) {
  return std::any_of(child_kinds().begin(), child_kinds().end(),
                     [&](const auto& each) { return each.name == name; });
}

std::vector<child_spec> house_children(const house_config& config) {
  std::vector<child_spec> children;
  for (size_t i = 0; i < config.writers; ++i)
    children.push_back(writer_spec(config, i));
  for (size_t i = 0; i < config.readers; ++i)
    children.push_back(reader_spec(config, i));
  children.push_back(transport_spec(config));
  children.push_back(directory_spec(config));
  if (!config.settings->realms.account.empty()) {
    children.push_back(session_spec(config));
    children.push_back(pacer_spec(config));
    children.push_back(realms_spec(config));
  }
  children.push_back(gateway_spec());
  if (!config.settings->realms.account.empty())
    children.push_back(realm_gateway_spec());
  children.push_back(janitor_spec());
  children.push_back(pinger_spec(config));
  return children;
}

} // namespace weir
