#include "http/service_setup.hpp"

#include "schema/config_values.hpp"

#include <filesystem>
#include <system_error>

namespace weir {

namespace {

const std::string& outbound_token(const appservice_registration& registration,
                                  const appservice_options& options) {
  return options.hs_token_outbound.empty() ? registration.hs_token
                                           : options.hs_token_outbound;
}

transaction_bounds bounds_of(const appservice_options& options) {
  transaction_bounds bounds;
  bounds.events = options.max_transaction_events;
  bounds.bytes = options.max_transaction_bytes;
  bounds.lanes.typing_age = options.typing_max_age;
  bounds.lanes.ephemeral_age = options.ephemeral_max_age;
  bounds.lanes.waiting_max = options.ephemeral_max;
  bounds.lanes.mirror = options.mirror_ephemeral;
  bounds.queue = {options.queue_events_max, options.queue_bytes_max,
                  options.queue_age_max, options.queue_overflow};
  return bounds;
}

queue_settings queue_of(const appservice_registration& registration,
                        const appservice_options& options) {
  queue_settings queue;
  queue.id = registration.id;
  queue.peer = {registration.url.value_or(""), options.ca_file};
  queue.hs_token = outbound_token(registration, options);
  queue.query_token = options.legacy_query_token;
  queue.deadlines.connect = options.connect_timeout;
  queue.deadlines.answer = options.request_timeout;
  queue.bounds = bounds_of(options);
  queue.limits.pause.first = options.backoff_first;
  queue.limits.pause.ceiling = options.backoff_max;
  queue.limits.poison.rejections = options.rejections_before_bisect;
  queue.limits.poison.hangs = options.hangs_before_bisect;
  queue.limits.dead_letter = options.poison == poison_policy::dead_letter;
  queue.limits.legacy_paths = options.legacy_paths;
  return queue;
}

served_appservice served(const appservice_registration& registration,
                         const appservice_options& options) {
  served_appservice to;
  to.id = registration.id;
  to.hs_token = registration.hs_token;
  to.query_alone = options.legacy_query_token;
  to.sends = registration.url.has_value();
  to.dedupe_events = options.dedupe_events;
  to.bounds = bounds_of(options);
  to.link.peer = {registration.url.value_or(""), options.ca_file};
  to.link.token = outbound_token(registration, options);
  to.link.legacy_query = options.legacy_query_token;
  to.link.wait = options.query_timeout;
  return to;
}

policy::realm_admission::bounds realm_bounds_of(const config& settings) {
  policy::realm_admission::bounds bounds;
  bounds.realm_bytes = settings.realms.queued_bytes_max;
  bounds.all_bytes = settings.realms.queued_bytes_max_all;
  return bounds;
}

/// Whose sends realm events are; nobody's where there is nothing to sign in
/// with.
std::string account_of(const config::homeserver_options& homeserver) {
  return homeserver.as_token.empty() && homeserver.password.empty()
    ? std::string{}
    : homeserver.user_id;
}

realm_settings realms_of(const config& settings) {
  const auto& homeserver = settings.homeserver;
  realm_settings realms;
  realms.account = account_of(homeserver);
  realms.peer = {homeserver.url, homeserver.ca_file};
  realms.as_token = homeserver.as_token;
  realms.password = homeserver.password;
  realms.device = homeserver.device_id;
  realms.pace.sends_per_second = homeserver.pace.sends_per_second;
  realms.pace.in_flight = homeserver.pace.in_flight;
  realms.bounds = realm_bounds_of(settings);
  realms.ordered = settings.realms.ordered;
  realms.audience_wait = settings.realms.audience_wait;
  realms.idle_after = settings.actors.idle_after;
  return realms;
}

} // namespace

std::shared_ptr<house_settings>
make_house_settings(const loaded_setup& setup,
                    std::shared_ptr<bridge_board> board) {
  auto settings = std::make_shared<house_settings>();
  std::vector<appservice_id> ids;
  for (const auto& registration : setup.registrations) {
    ids.push_back(registration.id);
    settings->queues.push_back(queue_of(
      registration, options_of(setup.settings, registration.id.value)));
  }
  settings->realms = realms_of(setup.settings);
  settings->idle_after = setup.settings.actors.idle_after;
  settings->keep_removed = setup.settings.appservices.keep_removed;
  settings->drain_timeout = setup.settings.drain.timeout;
  if (board)
    board->learn(ids);
  else
    board = std::make_shared<bridge_board>(ids);
  settings->board = std::move(board);
  return settings;
}

std::shared_ptr<const served_appservices>
make_served_appservices(const loaded_setup& setup) {
  std::vector<served_appservice> all;
  for (const auto& registration : setup.registrations)
    all.push_back(
      served(registration, options_of(setup.settings, registration.id.value)));
  return make_served(std::move(all), setup.hs_tokens_unique);
}

realm_routes::options
make_producer_options(const loaded_setup& setup,
                      std::shared_ptr<const token_authority> tokens,
                      std::function<uint64_t()> random) {
  realm_routes::options to;
  to.producers = make_producers(setup.settings.producers);
  to.account = account_of(setup.settings.homeserver);
  to.bounds = realm_bounds_of(setup.settings);
  to.tokens = std::move(tokens);
  to.random = std::move(random);
  return to;
}

server_options main_listener_of(const config& settings) {
  server_options to;
  to.address = settings.listen;
  to.budget_bytes = settings.listener.in_flight_bytes;
  to.connections_max = settings.listener.connections_max;
  to.certificate_file = settings.listener.tls.certificate_file;
  to.key_file = settings.listener.tls.key_file;
  return to;
}

server_options admin_listener_of(const config& settings) {
  server_options to;
  to.address = settings.admin.listen;
  to.certificate_file = settings.admin.tls.certificate_file;
  to.key_file = settings.admin.tls.key_file;
  return to;
}

size_t outgoing_connections_max(const loaded_setup& setup) {
  // One that has ended counts until its socket is closed.
  constexpr size_t that_close = 64;
  const auto passed_on
    = passed_on_bounds_for(setup.settings.listener.connections_max).in_all;
  // What is sent for realms, a sign-in, and who is in a room.
  const size_t realms = setup.settings.homeserver.pace.in_flight + size_t{2};
  return passed_on + 2 * setup.registrations.size() + realms + that_close;
}

uint64_t store_file_bytes(const config& settings, std::string_view suffix) {
  const auto file = sqlite_file_of(settings.storage.url);
  std::error_code none;
  const auto bytes
    = std::filesystem::file_size(file + std::string{suffix}, none);
  return none || file.empty() ? 0 : bytes;
}

} // namespace weir
