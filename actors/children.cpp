#include "actors/children.hpp"

#include "actors/appservice_queue.hpp"
#include "actors/directory.hpp"
#include "actors/gateway.hpp"
#include "actors/janitor.hpp"
#include "actors/pinger.hpp"
#include "actors/store_reader.hpp"
#include "actors/store_writer.hpp"
#include "actors/transport.hpp"

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

/// Spawns an actor that blocks.
template <class Actor, class... Args>
auto spawn_blocking(caf::actor_system& system, bool own_thread, Args... args) {
  return own_thread ? system.spawn<Actor, caf::detached>(std::move(args)...)
                    : system.spawn<Actor>(std::move(args)...);
}

child_spec writer_spec(const house_config& config, size_t index) {
  store_writer_config to;
  to.open = config.open_store;
  to.slot = static_cast<uint32_t>(index + 1);
  to.owner = config.node;
  to.draw_run = [random = config.random] { return random() & run_mask; };
  to.elapsed_clock = config.elapsed_clock;
  return {
    "store_writer",
    [to, index, threads = config.store_threads](auto& self, peers& all, auto) {
      auto child
        = spawn_blocking<store_writer>(self.home_system(), threads, to);
      all.writers.resize(std::max(all.writers.size(), index + 1));
      all.writers[index] = child;
      return caf::actor_cast<caf::actor>(child);
    },
    {},
    {}};
}

child_spec reader_spec(const house_config& config, size_t index) {
  return {"store_reader",
          [open = config.open_reader, index,
           threads = config.store_threads](auto& self, peers& all, auto) {
            auto child = spawn_blocking<store_reader_process>(
              self.home_system(), threads, open);
            all.readers.resize(std::max(all.readers.size(), index + 1));
            all.readers[index] = child;
            return caf::actor_cast<caf::actor>(child);
          },
          {},
          {}};
}

child_spec transport_spec(const house_config& config) {
  return {"transport",
          [network = config.network](auto& self, peers& all, auto) {
            all.transport
              = self.home_system().template spawn<transport>(network);
            return caf::actor_cast<caf::actor>(all.transport);
          },
          {},
          {}};
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
  return {
    "directory",
    [to](auto& self, peers& all, std::shared_ptr<const peers> now) mutable {
      to.settings = all.settings;
      all.directory = self.home_system().template spawn<directory>(to, now);
      return caf::actor_cast<caf::actor>(all.directory);
    },
    tell_peers<directory_actor>(), tell_settings<directory_actor>()};
}

child_spec gateway_spec(const house_config& config) {
  return {"gateway",
          [board = config.settings->board](auto& self, peers& all,
                                           std::shared_ptr<const peers> now) {
            all.board = board;
            all.gateway = self.home_system().template spawn<gateway>(now);
            return caf::actor_cast<caf::actor>(all.gateway);
          },
          tell_peers<gateway_actor>(),
          {}};
}

child_spec janitor_spec(const house_config& config) {
  return {"janitor",
          [settings = config.settings](auto& self, peers&,
                                       std::shared_ptr<const peers> now) {
            return caf::actor_cast<caf::actor>(
              self.home_system().template spawn<janitor>(settings, now));
          },
          tell_peers<janitor_actor>(),
          {}};
}

child_spec pinger_spec(const house_config& config) {
  pinger_config to;
  to.make_ping = config.make_ping;
  to.seed = config.random();
  child_spec spec{
    "homeserver_pinger",
    [to](auto& self, peers& all, std::shared_ptr<const peers> now) mutable {
      if (to.make_ping)
        to.appservices = with_url(*all.settings);
      return caf::actor_cast<caf::actor>(
        self.home_system().template spawn<pinger>(to, now));
    },
    tell_peers<pinger_actor>(),
    {}};
  if (config.make_ping)
    spec.reload = tell_settings<pinger_actor>();
  return spec;
}

} // namespace

std::vector<child_spec> house_children(const house_config& config) {
  std::vector<child_spec> children;
  for (size_t i = 0; i < config.writers; ++i)
    children.push_back(writer_spec(config, i));
  for (size_t i = 0; i < config.readers; ++i)
    children.push_back(reader_spec(config, i));
  children.push_back(transport_spec(config));
  children.push_back(directory_spec(config));
  children.push_back(gateway_spec(config));
  children.push_back(janitor_spec(config));
  children.push_back(pinger_spec(config));
  return children;
}

} // namespace weir
