#include "schema/config_kinds.hpp"

#include <algorithm>
#include <array>
#include <deque>

namespace weir {

namespace {

using namespace std::chrono_literals;
using options = option_table<config>;

constexpr std::array log_levels{
  std::pair{"debug", log_level::debug}, std::pair{"info", log_level::info},
  std::pair{"warn", log_level::warn}, std::pair{"error", log_level::error}};

/// Where a listener finds what it shows in TLS.
template <class Part>
void add_tls(options& table, const std::string& section, Part part,
             const std::string& effect) {
  using namespace kinds;
  // Keys are views of texts that live as long as the table.
  static std::deque<std::string> names;
  const auto& certificate
    = names.emplace_back(section + ".tls.certificate_file");
  const auto& certificate_words = names.emplace_back(
    "PEM file with the certificate and its chain, read again when it changes. "
    + effect);
  const auto& key = names.emplace_back(section + ".tls.key_file");
  table.push_back(readable_path<config>(
    certificate, [part](auto& c) -> auto& { return part(c).certificate_file; },
    certificate_words));
  table.push_back(readable_path<config>(
    key, [part](auto& c) -> auto& { return part(c).key_file; },
    "PEM file with its key, without a password; not readable by others."));
}

void add_listeners(options& table) {
  using namespace kinds;
  table.push_back(text<config>(
    "listen", "address", [](auto& c) -> auto& { return c.listen; },
    checked_by(check_listen_address),
    "Where the appservice, client and producer API listens."));
  table.push_back(text<config>(
    "public_url", "URL", [](auto& c) -> auto& { return c.public_url; },
    normalise_http_url,
    "Where the homeserver finds this listener. Default: `http://` and "
    "`listen`; required when `listen` is open to all addresses."));
  table.push_back(text<config>(
    "admin.listen", "address", [](auto& c) -> auto& { return c.admin.listen; },
    checked_by(check_listen_address),
    "Where the admin API, the dashboard and `/metrics` listen."));
  table.push_back(path<config>(
    "admin.token_file", [](auto& c) -> auto& { return c.admin.token_file; },
    "Holds the admin API's bearer token; made at the first start when absent. "
    "Default: `admin.token` in `storage.data_dir`."));
  table.push_back(path<config>(
    "admin.viewer_token_file",
    [](auto& c) -> auto& { return c.admin.viewer_token_file; },
    "Holds a token that may only read; made likewise. Default: there is no "
    "such token."));
  add_tls(
    table, "admin", [](auto& c) -> auto& { return c.admin.tls; },
    "With it the admin listener speaks TLS; `weir status` and the like trust "
    "this file, and the certificate has to name the address of "
    "`admin.listen`.");
  add_tls(
    table, "listener", [](auto& c) -> auto& { return c.listener.tls; },
    "With it the main listener speaks TLS and nothing else.");
  table.push_back(size<config>(
    "listener.body_bytes_max",
    [](auto& c) -> auto& { return c.listener.body_bytes_max; },
    uint64_t{1} << 20, limits::inbound_body_bytes_max,
    "Largest body taken. Below the default a homeserver's largest transaction "
    "may be refused for ever."));
  table.push_back(size<config>(
    "listener.in_flight_bytes",
    [](auto& c) -> auto& { return c.listener.in_flight_bytes; },
    uint64_t{1} << 20, uint64_t{64} << 30,
    "Bodies held in memory at once, all together; requests beyond wait, "
    "unread. At least `listener.body_bytes_max`."));
  table.push_back(count<config>(
    "listener.connections_max",
    [](auto& c) -> auto& { return c.listener.connections_max; }, 16, 100'000,
    "Open incoming connections of one listener. At the bound one without a "
    "request gives way to a new one. At most half of them wait for bridges, "
    "and for one bridge a quarter, 64 at most."));
}

void add_homeserver(options& table) {
  using namespace kinds;
  table.push_back(text<config>(
    "homeserver.name", "server name",
    [](auto& c) -> auto& { return c.homeserver.name; },
    checked_by(check_server_name),
    "Required. The homeserver's `server_name`, such as `example.org`."));
  table.push_back(text<config>(
    "homeserver.url", "URL", [](auto& c) -> auto& { return c.homeserver.url; },
    normalise_peer_url,
    "Required. Where the homeserver's client API is reached: `http://`, "
    "`https://` or `unix:/path`."));
  table.push_back(readable_path<config>(
    "homeserver.ca_file", [](auto& c) -> auto& { return c.homeserver.ca_file; },
    "PEM file with the authorities to trust instead of the system's."));
  table.push_back(token<config>(
    "homeserver.as_token",
    [](auto& c) -> auto& { return c.homeserver.as_token; },
    "The `as_token` of Weir's own registration, made by `weir "
    "registration`."));
  auto as_token_file = token_file<config>(
    "homeserver.as_token_file",
    [](auto& c) -> auto& { return c.homeserver.as_token; },
    "A file with that token, instead of `homeserver.as_token`; `weir "
    "registration` makes it when it is missing.");
  as_token_file.read = [read = as_token_file.read](
                         config& target, const yaml_node& node,
                         const std::string& key, config_reading& reading) {
    target.homeserver.as_token_file = reading.resolve(node.text);
    read(target, node, key, reading);
  };
  table.push_back(std::move(as_token_file));
  table.push_back(count<config>(
    "homeserver.pace.sends_per_second",
    [](auto& c) -> auto& { return c.homeserver.pace.sends_per_second; }, 1,
    100'000, "Most sends toward the homeserver begun in a second."));
  table.push_back(count<config>(
    "homeserver.pace.in_flight",
    [](auto& c) -> auto& { return c.homeserver.pace.in_flight; }, 1, 1'000,
    "Most sends toward the homeserver under way at once."));
}

void add_storage(options& table) {
  using namespace kinds;
  table.push_back(text<config>(
    "storage.url", "URL", [](auto& c) -> auto& { return c.storage.url; },
    checked_by(check_storage_url),
    "The database: `sqlite:///absolute/path` or "
    "`postgresql://user@host:5432/name`."));
  table.push_back(path<config>(
    "storage.data_dir", [](auto& c) -> auto& { return c.storage.data_dir; },
    "Folder of the lock and the admin token. Default: the SQLite file's "
    "folder, else `/var/lib/weir`."));
  table.push_back(count<config>(
    "storage.writers", [](auto& c) -> auto& { return c.storage.writers; }, 1,
    64, "Store writers. More than 1 only with PostgreSQL."));
  table.push_back(flag<config>(
    "storage.allow_unsafe_database",
    [](auto& c) -> auto& { return c.storage.allow_unsafe_database; },
    "Accepts a database that does not write to disk before it answers. For "
    "tests only: an outage loses events."));
}

/// A glob, or a list of them; relative ones start at the file's folder.
void read_registrations(config& target, const yaml_node& node,
                        const std::string& key, config_reading& reading) {
  constexpr std::string_view wanted = "expected a list of paths or globs";
  std::vector<yaml_node> globs;
  if (node.is_list())
    globs = node.items;
  else
    globs.push_back(node);
  target.appservices.registrations.clear();
  for (const auto& glob : globs) {
    if (glob.is_scalar() && !glob.text.empty())
      target.appservices.registrations.push_back(reading.resolve(glob.text));
    else
      reading.problem(glob, key, std::string{wanted});
  }
  std::sort(target.appservices.registrations.begin(),
            target.appservices.registrations.end());
}

void read_appservice(appservice_options& target, const yaml_node& node,
                     const std::string& key, config_reading& reading) {
  if (node.is_map())
    kinds::read_section(appservice_option_table(), target, node, "", key + ".",
                        reading);
  else if (!node.is_null())
    reading.problem(node, key, "expected a section of appservice options");
}

/// Put off until the defaults are known, wherever they stand in the file.
void read_overrides(config& target, const yaml_node& node,
                    const std::string& key, config_reading& reading) {
  if (!node.is_map()) {
    if (!node.is_null())
      reading.problem(node, key,
                      "expected a section with a key for each "
                      "appservice id");
    return;
  }
  for (const auto& entry : node.entries)
    reading.later([&target, &entry, &reading, key] {
      const auto& id = entry.key.text;
      auto full = key;
      full.append(".").append(id);
      reading.note(entry.key, full);
      auto& overriding = target.appservices.overrides[id];
      overriding = target.appservices.defaults;
      read_appservice(overriding, entry.value, full, reading);
    });
}

void read_producers(config& target, const yaml_node& node,
                    const std::string& key, config_reading& reading) {
  if (!node.is_list()) {
    if (!node.is_null())
      reading.problem(node, key, "expected a list of producers");
    return;
  }
  for (const auto& item : node.items) {
    const auto full = fmt::format("{}[{}]", key, target.producers.size());
    reading.note(item, full);
    auto& producer = target.producers.emplace_back();
    if (item.is_map())
      kinds::read_section(producer_option_table(), producer, item, "",
                          full + ".", reading);
    else
      reading.problem(item, full,
                      "expected a section with name, token and "
                      "realms");
  }
}

void add_lanes(options& table) {
  using namespace kinds;
  const auto shows_nothing = [](const config&) { return std::string{}; };
  table.push_back({"appservices.registrations", "list of paths", "",
                   "The bridges' own registration files, unchanged; `*`, `?` "
                   "and `[…]` match as in a shell.",
                   read_registrations, shows_nothing});
  table.push_back({"appservices.defaults", "section", "",
                   "How every appservice is served: the options below.",
                   [](config& target, const yaml_node& node,
                      const std::string& key, config_reading& reading) {
                     read_appservice(target.appservices.defaults, node, key,
                                     reading);
                   },
                   shows_nothing});
  table.push_back({"appservices.overrides", "section", "",
                   "By appservice id, what is different for that one: the "
                   "same options.",
                   read_overrides, shows_nothing});
  table.push_back(duration<config>(
    "appservices.keep_removed",
    [](auto& c) -> auto& { return c.appservices.keep_removed; }, 60s, 24h * 365,
    "How long what is kept of an appservice stays when its registration is "
    "gone; then it is deleted. See `weir remove`."));
  table.push_back({"producers", "list of sections", "",
                   "Application back ends that may hand in realm events.",
                   read_producers, shows_nothing});
  table.push_back(duration<config>(
    "delayed_events.max_delay",
    [](auto& c) -> auto& { return c.delayed_events.max_delay; }, 1ms, 24h * 365,
    "Longest delay a client may ask for."));
  table.push_back(count<config>(
    "delayed_events.max_scheduled",
    [](auto& c) -> auto& { return c.delayed_events.max_scheduled; }, 0, 100'000,
    "Delayed events a user may have at once; 0: none."));
}

void add_process(options& table) {
  using namespace kinds;
  table.push_back(count<config>(
    "actors.threads", [](auto& c) -> auto& { return c.actors.threads; }, 1, 256,
    "Threads of the actor scheduler."));
  table.push_back(count<config>(
    "actors.readers", [](auto& c) -> auto& { return c.actors.readers; }, 1, 64,
    "Reading connections to the database, a thread each."));
  table.push_back(duration<config>(
    "actors.timer_horizon",
    [](auto& c) -> auto& { return c.actors.timer_horizon; }, 1s, 1h,
    "Delayed events due later than this have no actor yet."));
  table.push_back(duration<config>(
    "actors.idle_after", [](auto& c) -> auto& { return c.actors.idle_after; },
    100ms, 24h, "An idle queue's actor is let go after this time."));
  table.push_back(count<config>(
    "actors.max_live", [](auto& c) -> auto& { return c.actors.max_live; }, 100,
    10'000'000, "Most live actors."));
  table.push_back(count<config>(
    "actors.max_throughput",
    [](auto& c) -> auto& { return c.actors.max_throughput; }, 1, 10'000,
    "Messages one actor takes before others have their turn."));
  table.push_back(duration<config>(
    "drain.timeout", [](auto& c) -> auto& { return c.drain.timeout; }, 0s,
    10min, "How long a stop waits for what is in flight."));
  table.push_back(choice<config>(
    "log.level", [](auto& c) -> auto& { return c.log.level; }, log_levels,
    "What is logged, from this level up."));
}

/// `all`, or a list of names.
void read_traced_actors(config& target, const yaml_node& node,
                        const std::string& key, config_reading& reading) {
  auto& actors = target.trace.actors;
  actors.clear();
  if (node.is_scalar() && node.text == "all")
    return;
  if (!node.is_list() || node.items.empty())
    return reading.problem(node, key,
                           "expected all, or a list of names such as "
                           "appservice/telegram");
  for (const auto& item : node.items) {
    if (item.is_scalar() && !item.text.empty())
      actors.push_back(item.text);
    else
      reading.problem(item, key, "expected the name of an actor");
  }
}

void add_trace(options& table) {
  using namespace kinds;
  auto file = path<config>(
    "trace.file", [](auto& c) -> auto& { return c.trace.file; },
    "Writes a trace of the actors there, from the start on. Default: none is "
    "written; `weir trace start` writes `trace.jsonl` in `storage.data_dir`.");
  file.read
    = [read = file.read](config& target, const yaml_node& node,
                         const std::string& key, config_reading& reading) {
        read(target, node, key, reading);
        target.trace.from_start = true;
      };
  table.push_back(std::move(file));
  table.push_back({"trace.actors", "list of names, or all", "",
                   "Whose messages are traced: `directory`, "
                   "`appservice/telegram`, `appservice/*`, ….",
                   read_traced_actors,
                   [](const config&) { return std::string{"all"}; }});
  table.push_back(size<config>(
    "trace.max_bytes", [](auto& c) -> auto& { return c.trace.max_bytes; },
    uint64_t{1} << 20, uint64_t{64} << 30,
    "Largest size of one file of a trace; then the next one is begun."));
  table.push_back(count<config>(
    "trace.rotate", [](auto& c) -> auto& { return c.trace.rotate; }, 0, 1'000,
    "Older files of a trace that are kept: `FILE.1`, `FILE.2`, …."));
  table.push_back(flag<config>(
    "trace.with_content", [](auto& c) -> auto& { return c.trace.with_content; },
    "Also writes event bodies and tokens into the trace, instead of their "
    "lengths and hashes. For made-up data only."));
}

} // namespace

const option_table<config>& config_options() {
  static const auto table = [] {
    options all;
    add_listeners(all);
    add_homeserver(all);
    add_realm_options(all);
    add_storage(all);
    add_lanes(all);
    add_process(all);
    add_trace(all);
    return all;
  }();
  return table;
}

} // namespace weir
