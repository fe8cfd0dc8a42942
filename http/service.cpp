#include "http/service.hpp"

#include "actors/house.hpp"
#include "actors/trace/control.hpp"
#include "http/client/network.hpp"
#include "http/metrics_page.hpp"
#include "http/own_pings.hpp"
#include "http/prepared.hpp"
#include "http/reloader.hpp"
#include "http/routes/admin.hpp"
#include "http/routes/appservice.hpp"
#include "http/routes/realms.hpp"
#include "http/server.hpp"
#include "http/service_setup.hpp"
#include "http/start_checks.hpp"
#include "persistence/batch.hpp"
#include "schema/config_values.hpp"
#include "schema/log.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <thread>

namespace weir {

namespace {

const logger log_{"weir"};

/// Listener and client share these; all that blocks is in actors.
constexpr size_t io_threads = 2;
/// How often a drain looks whether the listener has answered everybody.
constexpr auto drain_look = std::chrono::milliseconds{20};
/// Of those who look on at the end.
constexpr auto admin_patience = std::chrono::milliseconds{1'000};
/// Of the store, the log and the admin listener.
constexpr uint64_t other_open_files = 1'000;

uint64_t random_bits() {
  thread_local std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

int64_t unix_ms() {
  return std::chrono::duration_cast<milliseconds>(
           std::chrono::system_clock::now().time_since_epoch())
    .count();
}

http_client::limits client_limits_of(const loaded_setup& setup) {
  http_client::limits to;
  to.open_max = outgoing_connections_max(setup);
  return to;
}

/// Of one that outlives whoever is handed it.
std::shared_ptr<const loaded_setup> borrowed(const loaded_setup& setup) {
  return {std::shared_ptr<const loaded_setup>{}, &setup};
}

/// The parts of a running Weir, in the order they depend on one another: each
/// is stopped before those above it are gone.
class service {
public:
  service(const loaded_setup& setup, prepared found,
          boost::asio::io_context& io, boost::asio::signal_set& hang_ups)
    : setup_{setup},
      found_{std::move(found)},
      io_{io},
      hang_ups_{hang_ups},
      reloader_{borrowed(setup), [this](const loaded_setup& now) { use(now); }},
      client_{io_, client_limits_of(setup)},
      network_{client_, [] { return stored_time{unix_ms()}; }},
      pings_{found_.identity.ping_key},
      trace_{trace_of()},
      house_{std::in_place, house_of()},
      appservices_{*house_, pings_, routes_of()},
      producers_{house_->realms(),
                 make_producer_options(setup_, found_.tokens, random_bits)},
      admin_{*house_, admin_options_of()},
      listener_{io_, main_listener_of(setup_.settings),
                [this](const request_head& head) { return main_page(head); }},
      admin_listener_{
        io_, admin_listener_of(setup_.settings),
        [this](const request_head& head) { return admin_.handle(head); }} {
  }

  int run() {
    signals_.async_wait([this](auto failed, int) {
      if (!failed)
        stop_requested();
    });
    await_hang_up();
    for (auto* listener : {&listener_, &admin_listener_})
      if (auto started = listener->start(); !started) {
        log_.error("cannot listen what={}", to_string(started.error()));
        finish();
        return 1;
      }
    log_.info("serving listen={} admin={} appservices={} store={} node={}",
              setup_.settings.listen, setup_.settings.admin.listen,
              setup_.registrations.size(),
              setup_.settings.storage.url.substr(
                0, setup_.settings.storage.url.find(':')),
              found_.node);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < io_threads; ++i)
      threads.emplace_back([this] { io_.run(); });
    stopping_.wait(false);
    drain();
    finish();
    for (auto& thread : threads)
      thread.join();
    house_.reset();
    log_.info("stopped exit_code={}", exit_code_.load());
    return exit_code_;
  }

private:
  void stop_requested() {
    signals_.async_wait([](auto failed, int) {
      if (!failed)
        std::_Exit(1); // Asked twice: the store is safe at any moment.
    });
    begin_end();
  }

  void begin_end() {
    stopping_ = true;
    stopping_.notify_all();
  }

  /// SIGHUP reads the configuration again.
  void await_hang_up() {
    hang_ups_.async_wait([this](auto failed, int) {
      if (failed)
        return;
      reload([](const reload_report&) {});
      await_hang_up();
    });
  }

  /// Files are read on a thread that nobody waits for.
  void reload(std::function<void(const reload_report&)> done) {
    boost::asio::post(
      files_, [this, done = std::move(done)] { done(reloader_.reload()); });
  }

  /// The listener last: what it takes has a queue then.
  void use(const loaded_setup& now) {
    client_.use_open_max(outgoing_connections_max(now));
    house_->use(make_house_settings(now, board_));
    appservices_.use(make_served_appservices(now));
  }

  void give_up() {
    exit_code_ = 1;
    stopping_ = true;
    stopping_.notify_all();
  }

  void drain() {
    const auto patience = setup_.settings.drain.timeout;
    log_.info("draining timeout_ms={}", patience.count());
    const auto until = std::chrono::steady_clock::now() + patience;
    listener_.drain(patience);
    house_->drain();
    // A homeserver whose request is cut off gives up what it cannot repeat
    // (spec R2), so the answers under way are sent first.
    while (!listener_.drained() && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(drain_look);
    // Last, so that somebody can look on; whoever asked for the drain is told.
    admin_listener_.drain(admin_patience);
    const auto last = std::chrono::steady_clock::now() + admin_patience;
    while (!admin_listener_.drained()
           && std::chrono::steady_clock::now() < last)
      std::this_thread::sleep_for(drain_look);
  }

  void finish() {
    files_.join();
    pages_.join();
    listener_.stop();
    admin_listener_.stop();
    client_.stop();
    io_.stop();
  }

  house_config house_of() {
    auto settings = make_house_settings(setup_, nullptr);
    board_ = settings->board;
    house_config to;
    to.settings = settings;
    to.open_store
      = [options = found_.store] { return open_store(options, false); };
    to.open_reader
      = [options = found_.store] { return open_store_reader(options); };
    to.tokens = found_.tokens;
    to.network = &network_;
    to.elapsed_clock = boot_time;
    to.random = random_bits;
    to.node = found_.node;
    to.writers = setup_.settings.storage.writers;
    to.readers = setup_.settings.actors.readers;
    to.threads = setup_.settings.actors.threads;
    to.max_throughput = setup_.settings.actors.max_throughput;
    to.make_ping = [this](const appservice_id& id) { return ping_of(id); };
    to.on_give_up = [this] { give_up(); };
    return to;
  }

  http_request ping_of(const appservice_id& id) {
    const http_peer homeserver{setup_.settings.homeserver.url,
                               setup_.settings.homeserver.ca_file};
    const auto now = reloader_.in_force();
    for (const auto& registration : now->registrations)
      if (registration.id == id)
        return pings_.request(id, homeserver, registration.as_token);
    return pings_.request(id, homeserver, {});
  }

  appservice_routes::options routes_of() {
    appservice_routes::options to;
    to.appservices = make_served_appservices(setup_);
    to.body_bytes_max = setup_.settings.listener.body_bytes_max;
    to.board = board_;
    to.passed_on
      = passed_on_bounds_for(setup_.settings.listener.connections_max);
    to.later = [this](milliseconds delay, std::function<void()> then) {
      auto timer = std::make_shared<boost::asio::steady_timer>(io_, delay);
      timer->async_wait([timer, then = std::move(then)](auto) { then(); });
    };
    return to;
  }

  admin_routes::options admin_options_of() {
    return {
      found_.admin_token,
      found_.viewer_token,
      [this](const stored_figures& stored) {
        return metrics_page(stored, appservices_.counts(), figures());
      },
      [this](std::function<void()> work) {
        boost::asio::post(pages_, std::move(work));
      },
      [this](const appservice_id& id) { return sending_for(id); },
      [this](const std::string& id) { return appservices_.serves(id); },
      [this](std::function<void(const reload_report&)> done) {
        reload(std::move(done));
      },
      trace_,
      trace_defaults(),
      [this](const std::string& id) { return appservices_.sends(id); },
      [this](const std::string& id) { return board_->is_full({id}); },
      [this] { begin_end(); },
      [this]() -> admin_routes::drain_progress {
        return {stopping_.load(), client_.figures_now().in_flight};
      },
      [this](const std::string& id) { return appservices_.bounds_of(id); }};
  }

  trace::recorder_options trace_defaults() {
    const auto& wanted = setup_.settings.trace;
    trace::recorder_options to;
    to.actors = wanted.actors;
    to.with_content = wanted.with_content;
    return to;
  }

  std::shared_ptr<trace::control> trace_of() {
    const auto& wanted = setup_.settings.trace;
    auto made = std::make_shared<trace::control>(
      trace::file_sink_options{wanted.file, wanted.max_bytes, wanted.rotate},
      found_.node, unix_ms);
    if (!wanted.from_start)
      return made;
    if (const auto begun = made->start(trace_defaults()); !begun)
      log_.error("trace not begun what={} action=correct trace.file, then "
                 "weir trace start; deliveries go on",
                 to_string(begun.error()));
    return made;
  }

  process_figures figures() {
    const auto bridges = client_.figures_now();
    return {listener_.figures_now(),
            admin_listener_.figures_now(),
            bridges.open,
            bridges.idle,
            bridges.in_flight,
            setup_.settings.actors.threads,
            trace_->status(),
            board_->held(),
            store_file_bytes(setup_.settings, ""),
            store_file_bytes(setup_.settings, "-wal"),
            admin_.unauthorised(),
            appservices_.appservices(),
            reloader_.refused_last(),
            &producers_.counts()};
  }

  [[nodiscard]] milliseconds sending_for(const appservice_id& id) const {
    const auto since = board_->sending_since(id);
    return since == instant{}
      ? milliseconds{0}
      : std::chrono::ceil<milliseconds>(instant::clock::now() - since);
  }

  body_wish main_page(const request_head& head) {
    auto page = page_for_anybody(head, *house_);
    if (page)
      return std::move(*page);
    return realm_routes::is_meant(head) ? producers_.handle(head)
                                        : appservices_.handle(head);
  }

  const loaded_setup& setup_;
  prepared found_;
  boost::asio::io_context& io_;
  boost::asio::signal_set& hang_ups_;
  boost::asio::signal_set signals_{io_, SIGTERM, SIGINT};
  boost::asio::thread_pool files_{1}; ///< Reads configurations.
  boost::asio::thread_pool pages_{1}; ///< Writes those for Prometheus.
  std::atomic<bool> stopping_{false};
  std::atomic<int> exit_code_{0};
  reloader reloader_;
  std::shared_ptr<bridge_board> board_;
  http_client client_;
  client_network network_;
  own_pings pings_;
  std::shared_ptr<trace::control> trace_; ///< Outlives those it tells of.
  std::optional<house> house_; ///< Gone before what its answers go to.
  appservice_routes appservices_;
  realm_routes producers_;
  admin_routes admin_;
  http_server listener_;
  http_server admin_listener_;
};

} // namespace

int run_service(const loaded_setup& setup) {
  start_logging(setup.settings.log.level);
  for (const auto& warning : setup.warnings)
    log_.warn("configuration {}", to_string(warning));
  std::signal(SIGPIPE, SIG_IGN);
  const auto wanted = setup.settings.listener.connections_max
    + outgoing_connections_max(setup) + other_open_files;
  if (const auto bound = raise_open_files_max(); bound < wanted)
    log_.warn("few files may be open bound={} wanted={} action=raise "
              "LimitNOFILE or lower listener.connections_max",
              bound, wanted);
  // From here on, so that a SIGHUP that comes early is a reload and no end.
  boost::asio::io_context io;
  boost::asio::signal_set hang_ups{io, SIGHUP};
  // A file at the limit that its user may write is a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  auto found = prepare(setup.settings);
  if (!found) {
    log_.error("cannot start what={}", to_string(found.error()));
    return 1;
  }
  service running{setup, std::move(found.value()), io, hang_ups};
  return running.run();
}

} // namespace weir
