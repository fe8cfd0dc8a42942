#pragma once

#include "schema/error.hpp"
#include "schema/limits.hpp"
#include "schema/log.hpp"
#include "schema/queue_bounds.hpp"
#include "schema/realm_limits.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// What becomes of an event that a bridge refuses for good. Source: R18.
enum class poison_policy : uint8_t {
  dead_letter, ///< Kept aside with its reason; the queue goes on.
  block,       ///< The queue stands still until a person acts.
};

std::string_view to_string(poison_policy what) noexcept;

/// How one appservice is served: `appservices.defaults`, and on top of it
/// `appservices.overrides.{id}`. Bounds are in docs/configuration.md, which is
/// printed from the table in schema/config_options.cpp.
struct appservice_options {
  /// From the first byte written to the head of the answer (R19).
  std::chrono::milliseconds request_timeout{120'000};
  std::chrono::milliseconds connect_timeout{10'000};
  /// Of what is proxied to the bridge: below the homeserver's 60 s (D6).
  std::chrono::milliseconds query_timeout{25'000};
  size_t max_transaction_bytes = limits::transaction_bytes_default;
  size_t max_transaction_events = limits::transaction_events_max;
  poison_policy poison = poison_policy::dead_letter;
  uint32_t rejections_before_bisect = 3;
  uint32_t hangs_before_bisect = 5;
  std::chrono::milliseconds backoff_first{1'000};
  std::chrono::milliseconds backoff_max{300'000}; ///< >= backoff_first.
  /// Also sends the token as `access_token` in the query (D3).
  bool legacy_query_token = false;
  /// Tries paths without `/_matrix/app/v1` when v1 never worked (R17).
  bool legacy_paths = false;
  /// Drops events whose id was met already under another transaction (R4).
  bool dedupe_events = true;
  /// Token towards the bridge when it differs from the registration's
  /// `hs_token`; empty: the same.
  std::string hs_token_outbound;
  /// PEM file with the authorities to trust for this bridge; empty: system's.
  std::string ca_file;
  uint64_t queue_events_max = 1'000'000;        ///< Elements of all kinds.
  uint64_t queue_bytes_max = uint64_t{4} << 30; ///< Of those elements.
  /// Older events become dead letters; 0: none do.
  std::chrono::milliseconds queue_age_max{0};
  /// What happens at the bounds in events and bytes (R23).
  overflow_policy queue_overflow = overflow_policy::hold;
  /// Older typing notices are not pinned any more (R22),
  std::chrono::milliseconds typing_max_age{limits::typing_age_default};
  /// nor are other ephemeral elements.
  std::chrono::milliseconds ephemeral_max_age{limits::ephemeral_age_default};
  /// Ephemeral elements that wait behind what is owed; the oldest go.
  uint64_t ephemeral_max = limits::ephemeral_waiting_default;
  /// Writes ephemeral elements under both spellings of their key (E4).
  bool mirror_ephemeral = false;

  friend bool operator==(const appservice_options&, const appservice_options&)
    = default;
};

/// One application back end that may hand in realm events.
struct producer_options {
  std::string name;
  std::string token;
  std::vector<std::string> realms; ///< Realm ids; `*` in one matches anything.

  friend bool operator==(const producer_options&, const producer_options&)
    = default;
};

/// Every setting of Weir, defaults filled in, files named by it read.
/// Paths are absolute or relative to the configuration file's folder, which is
/// already put in front of them.
struct config {
  std::string listen = "127.0.0.1:8009"; ///< `host:port`, IPv6 in brackets.

  /// What a listener shows in TLS; both empty: it speaks none.
  struct tls_options {
    std::string certificate_file; ///< PEM, with the chain.
    std::string key_file;         ///< PEM.
    friend bool operator==(const tls_options&, const tls_options&) = default;
  };
  /// What the homeserver is told; no trailing slash. Default: http://{listen},
  /// or https.
  std::string public_url;

  struct admin_options {
    std::string listen = "127.0.0.1:8010";
    /// Made at first start when absent. Default: {data_dir}/admin.token.
    std::string token_file;
    std::string viewer_token_file; ///< Empty: there is no viewer token.
    tls_options tls;
    friend bool operator==(const admin_options&, const admin_options&)
      = default;
  } admin;

  struct homeserver_options {
    std::string name;          ///< Its server_name, such as `example.org`.
    std::string url;           ///< In the form of `http_peer::url`.
    std::string ca_file;       ///< PEM; empty: the system's authorities.
    std::string as_token;      ///< Of Weir's own registration; may be empty.
    std::string as_token_file; ///< Where it was read from, if from a file.
    /// Whose sends realm events are. Default: `@weir:{name}`.
    std::string user_id;
    /// The scope of its transaction ids; always the same, so that a retry after
    /// another login is still one (Q31).
    std::string device_id = "WEIR";
    std::string password; ///< Logs in with it; empty: with `as_token`.
    struct pace_options {
      uint32_t sends_per_second = 50;
      uint32_t in_flight = 8;
      friend bool operator==(const pace_options&, const pace_options&)
        = default;
    } pace;
    friend bool operator==(const homeserver_options&, const homeserver_options&)
      = default;
  } homeserver;

  struct storage_options {
    /// `sqlite:///absolute/path` or `postgresql://…`; may hold a password.
    std::string url = "sqlite:///var/lib/weir/weir.db";
    /// Lock and tokens. Default: the SQLite file's folder, else /var/lib/weir.
    std::string data_dir;
    uint32_t writers = 1;               ///< More than 1 only with PostgreSQL.
    bool allow_unsafe_database = false; ///< Accepts `fsync = off`; tests only.
    friend bool operator==(const storage_options&, const storage_options&)
      = default;
  } storage;

  struct listener_options {
    size_t body_bytes_max = limits::inbound_body_bytes_default;
    size_t in_flight_bytes = size_t{512} << 20; ///< >= body_bytes_max.
    size_t connections_max = 4096;
    tls_options tls;
    friend bool operator==(const listener_options&, const listener_options&)
      = default;
  } listener;

  struct appservices_options {
    std::vector<std::string> registrations; ///< Globs, sorted.
    appservice_options defaults;
    /// By appservice id; what an override leaves out is from `defaults`.
    std::map<std::string, appservice_options> overrides;
    milliseconds keep_removed{30LL * 24 * 3'600'000};
    friend bool operator==(const appservices_options&,
                           const appservices_options&)
      = default;
  } appservices;

  std::vector<producer_options> producers;

  struct realms_options {
    /// Realms whose events go one at a time (D3); `*` matches anything.
    std::vector<std::string> ordered;
    /// How long an event may wait for a first room (D12).
    std::chrono::milliseconds audience_wait{0};
    uint64_t queued_bytes_max = limits::realm_bytes_default;      ///< Of one,
    uint64_t queued_bytes_max_all = limits::realms_bytes_default; ///< of all.
    friend bool operator==(const realms_options&, const realms_options&)
      = default;
  } realms;

  struct delayed_events_options {
    std::chrono::milliseconds max_delay{86'400'000};
    uint32_t max_scheduled = 100; ///< Per user; 0 switches the feature off.
    friend bool operator==(const delayed_events_options&,
                           const delayed_events_options&)
      = default;
  } delayed_events;

  struct actors_options {
    uint32_t threads = 2; ///< Of the actor scheduler.
    uint32_t readers = 2; ///< Reading connections, a thread each.
    std::chrono::milliseconds timer_horizon{60'000};
    std::chrono::milliseconds idle_after{30'000};
    uint32_t max_live = 200'000;
    uint32_t max_throughput = 50; ///< Messages an actor takes in one go.
    friend bool operator==(const actors_options&, const actors_options&)
      = default;
  } actors;

  struct drain_options {
    /// How long a stop waits for what is in flight.
    std::chrono::milliseconds timeout{20'000};
    friend bool operator==(const drain_options&, const drain_options&)
      = default;
  } drain;

  struct log_options {
    log_level level = log_level::info;
    friend bool operator==(const log_options&, const log_options&) = default;
  } log;

  /// What every actor was given and did, for `weir trace`.
  struct trace_options {
    /// Written from the start on when the file names it. Default:
    /// {data_dir}/trace.jsonl, used by `weir trace start`.
    std::string file;
    bool from_start = false;                 ///< `file` was given.
    std::vector<std::string> actors;         ///< Names or `NAME*`; empty: all.
    uint64_t max_bytes = uint64_t{64} << 20; ///< Of one file.
    uint32_t rotate = 4;                     ///< Older files kept.
    bool with_content = false;               ///< Event bodies and tokens too.
    friend bool operator==(const trace_options&, const trace_options&)
      = default;
  } trace;

  friend bool operator==(const config&, const config&) = default;
};

/// How the appservice `id` is served.
const appservice_options& options_of(const config& settings,
                                     const std::string& id);

/// One thing that is wrong in a file. Never holds a token.
struct config_problem {
  std::string file;
  int line = 0;     ///< From 1; 0 when the whole file is meant.
  int column = 0;   ///< From 1; 0 likewise.
  std::string key;  ///< Dotted, such as `homeserver.url`; may be empty.
  std::string what; ///< A sentence part that says what was expected.

  friend bool operator==(const config_problem&, const config_problem&)
    = default;
};

/// `file:line: key: what`.
std::string to_string(const config_problem& problem);

/// What a configuration file says, and all that is wrong with it.
struct loaded_config {
  config settings; ///< To be used only when there are no problems.
  std::vector<config_problem> problems;
  std::vector<config_problem> warnings;
  /// Where each of `appservices.overrides` stands, for problems found later.
  std::map<std::string, int> override_lines;
};

/// Reads a configuration file, reporting everything that is wrong in it at
/// once. Registration files are not read here: see schema/registration.hpp.
loaded_config load_config(const std::string& path);

/// The same from text; `path` is named in problems and its folder is what
/// relative paths start from.
loaded_config parse_config(const std::string& path, std::string_view text,
                           bool others_may_read = false);

/// The tables of every option that docs/configuration.md holds, in Markdown.
std::string config_reference();

} // namespace weir
