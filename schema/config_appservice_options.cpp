#include "schema/config_kinds.hpp"

#include <array>

namespace weir {

namespace {

using namespace std::chrono_literals;
using options = option_table<appservice_options>;

constexpr std::array poison_policies{
  std::pair{"dead_letter", poison_policy::dead_letter},
  std::pair{"block", poison_policy::block}};

constexpr std::array overflow_policies{
  std::pair{"hold", overflow_policy::hold},
  std::pair{"dead_letter_oldest", overflow_policy::dead_letter_oldest}};

void add_transport(options& table) {
  using namespace kinds;
  table.push_back(duration<appservice_options>(
    "request_timeout", [](auto& o) -> auto& { return o.request_timeout; }, 1s,
    1h,
    "How long a bridge may take over a transaction. A retry that overlaps one "
    "still being handled makes bridges handle events twice."));
  table.push_back(duration<appservice_options>(
    "connect_timeout", [](auto& o) -> auto& { return o.connect_timeout; },
    100ms, 60s, "Name look-up, connection and TLS together."));
  table.push_back(duration<appservice_options>(
    "query_timeout", [](auto& o) -> auto& { return o.query_timeout; }, 1s, 55s,
    "How long a bridge may take over a request passed through. Homeservers "
    "give up after 60 s."));
  table.push_back(readable_path<appservice_options>(
    "ca_file", [](auto& o) -> auto& { return o.ca_file; },
    "PEM file with the authorities to trust instead of the system's."));
  table.push_back(token<appservice_options>(
    "hs_token_outbound", [](auto& o) -> auto& { return o.hs_token_outbound; },
    "Token towards the bridge. Default: the registration's `hs_token`."));
  table.push_back(token_file<appservice_options>(
    "hs_token_outbound_file",
    [](auto& o) -> auto& { return o.hs_token_outbound; },
    "A file with that token, instead of `hs_token_outbound`."));
  table.push_back(flag<appservice_options>(
    "legacy_query_token", [](auto& o) -> auto& { return o.legacy_query_token; },
    "Also sends the token in the query, for bridges that read it only there. "
    "It then shows in the logs of proxies."));
  table.push_back(flag<appservice_options>(
    "legacy_paths", [](auto& o) -> auto& { return o.legacy_paths; },
    "Tries paths without `/_matrix/app/v1` when those never worked."));
}

void add_transactions(options& table) {
  using namespace kinds;
  table.push_back(size<appservice_options>(
    "max_transaction_bytes",
    [](auto& o) -> auto& { return o.max_transaction_bytes; },
    limits::transaction_bytes_min, limits::transaction_bytes_max,
    "Largest body sent. A single larger event goes alone."));
  table.push_back(count<appservice_options>(
    "max_transaction_events",
    [](auto& o) -> auto& { return o.max_transaction_events; }, 1,
    limits::transaction_events_max, "Most events in one transaction."));
  table.push_back(flag<appservice_options>(
    "dedupe_events", [](auto& o) -> auto& { return o.dedupe_events; },
    "Drops an event whose id came in before under another transaction id."));
  table.push_back(count<appservice_options>(
    "queue_events_max", [](auto& o) -> auto& { return o.queue_events_max; }, 1,
    1'000'000'000,
    "Elements owed at most; what happens then says `queue_overflow`."));
  table.push_back(size<appservice_options>(
    "queue_bytes_max", [](auto& o) -> auto& { return o.queue_bytes_max; },
    1'000, uint64_t{1} << 40, "The same in bytes."));
  table.push_back(duration<appservice_options>(
    "queue_age_max", [](auto& o) -> auto& { return o.queue_age_max; }, 0ms,
    8'760h,
    "Events that waited longer are kept as dead letters and not sent; 0: none "
    "are. What is in a transaction already is sent all the same."));
  table.push_back(choice<appservice_options>(
    "queue_overflow", [](auto& o) -> auto& { return o.queue_overflow; },
    overflow_policies,
    "At those bounds: the homeserver is held and then told 503, or the oldest "
    "elements are kept as dead letters, as long as there is room for them."));
}

void add_lanes(options& table) {
  using namespace kinds;
  table.push_back(duration<appservice_options>(
    "typing_max_age", [](auto& o) -> auto& { return o.typing_max_age; }, 1s,
    10min,
    "Typing notices that waited longer are dropped. What is in a transaction "
    "already is sent all the same."));
  table.push_back(duration<appservice_options>(
    "ephemeral_max_age", [](auto& o) -> auto& { return o.ephemeral_max_age; },
    1s, 168h, "The same for receipts, presence and all other ephemeral data."));
  table.push_back(count<appservice_options>(
    "ephemeral_max", [](auto& o) -> auto& { return o.ephemeral_max; }, 0,
    limits::ephemeral_waiting_max,
    "Ephemeral elements that wait at most, the last of each kept; the oldest "
    "go. They are sent after all else and are not counted in the bounds of "
    "the queue."));
  table.push_back(flag<appservice_options>(
    "mirror_ephemeral", [](auto& o) -> auto& { return o.mirror_ephemeral; },
    "Sends ephemeral data under both `ephemeral` and "
    "`de.sorunome.msc2409.ephemeral`, whichever the homeserver used, for "
    "bridges that read only one. Doubles its bytes."));
}

void add_refusals(options& table) {
  using namespace kinds;
  table.push_back(choice<appservice_options>(
    "poison", [](auto& o) -> auto& { return o.poison; }, poison_policies,
    "What becomes of an event the bridge refuses for good: kept aside, or the "
    "queue stands until a person acts."));
  table.push_back(count<appservice_options>(
    "rejections_before_bisect",
    [](auto& o) -> auto& { return o.rejections_before_bisect; }, 1, 1'000,
    "Refusals of one transaction's content before it is taken apart."));
  table.push_back(count<appservice_options>(
    "hangs_before_bisect",
    [](auto& o) -> auto& { return o.hangs_before_bisect; }, 1, 1'000,
    "Hangs or crashes on one transaction before it is taken apart."));
  table.push_back(duration<appservice_options>(
    "backoff_first", [](auto& o) -> auto& { return o.backoff_first; }, 10ms,
    5min, "First pause after a failure; it doubles from there."));
  table.push_back(duration<appservice_options>(
    "backoff_max", [](auto& o) -> auto& { return o.backoff_max; }, 10ms, 1h,
    "Longest pause of our own. At least `backoff_first`."));
}

void read_realms(producer_options& target, const yaml_node& node,
                 const std::string& key, config_reading& reading) {
  const std::string wanted = "expected a list of realm ids, such as [\"*\"]";
  if (!node.is_list() || node.items.empty())
    return reading.problem(node, key, wanted);
  for (const auto& realm : node.items) {
    if (realm.is_scalar() && !realm.text.empty())
      target.realms.push_back(realm.text);
    else
      reading.problem(realm, key, wanted);
  }
}

expected<std::string> parse_producer_name(std::string_view text) {
  constexpr size_t name_bytes_max = 64;
  if (text.empty() || text.size() > name_bytes_max)
    return fail(
      ec::invalid_argument,
      fmt::format("expected a name of 1 to {} bytes", name_bytes_max));
  return std::string{text};
}

} // namespace

const option_table<appservice_options>& appservice_option_table() {
  static const auto table = [] {
    options all;
    add_transport(all);
    add_transactions(all);
    add_lanes(all);
    add_refusals(all);
    return all;
  }();
  return table;
}

const option_table<producer_options>& producer_option_table() {
  using namespace kinds;
  static const auto table = option_table<producer_options>{
    text<producer_options>(
      "name", "name", [](auto& p) -> auto& { return p.name; },
      parse_producer_name, "Required. Unique; shown in logs and metrics."),
    token<producer_options>(
      "token", [](auto& p) -> auto& { return p.token; },
      "The producer's bearer token. This or `token_file` is required."),
    token_file<producer_options>(
      "token_file", [](auto& p) -> auto& { return p.token; },
      "A file with that token."),
    {"realms", "list of realm ids", "",
     "Required. The realms it may use; `*` matches any characters.",
     read_realms, [](const producer_options&) { return std::string{}; }},
  };
  return table;
}

} // namespace weir
