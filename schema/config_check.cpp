#include "schema/config_files.hpp"
#include "schema/config_options.hpp"
#include "schema/config_values.hpp"
#include "schema/trace_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace weir {

namespace {

constexpr std::string_view defaults_key = "appservices.defaults";

void check_tls(const std::string& section, const config::tls_options& tls,
               config_reading& reading) {
  if (tls.certificate_file.empty() == tls.key_file.empty())
    return;
  const auto* missing
    = tls.key_file.empty() ? ".key_file" : ".certificate_file";
  reading.problem(section + missing,
                  "expected this key, a certificate and its key go together");
}

void check_listeners(config& settings, config_reading& reading) {
  const bool is_open_to_all = settings.listen.starts_with("0.0.0.0:")
    || settings.listen.starts_with("[::]:");
  if (is_open_to_all && !reading.has("public_url"))
    reading.problem("public_url",
                    "expected this key, since listen names no "
                    "address that a homeserver can reach");
  if (settings.public_url.empty())
    settings.public_url
      = (settings.listener.tls.certificate_file.empty() ? "http://"
                                                        : "https://")
      + settings.listen;
  check_tls("listener.tls", settings.listener.tls, reading);
  check_tls("admin.tls", settings.admin.tls, reading);
  if (!settings.listener.tls.certificate_file.empty()
      && settings.public_url.starts_with("http:"))
    reading.warning("public_url",
                    "says http where the listener speaks TLS (listener.tls): a "
                    "homeserver that is told this does not get in");
  const auto& admin = settings.admin;
  const bool is_loopback
    = admin.listen.starts_with("127.") || admin.listen.starts_with("[::1]:");
  if (!is_loopback && admin.tls.certificate_file.empty())
    reading.warning(reading.has("admin.listen") ? "admin.listen" : "admin",
                    "is open to other machines, and without admin.tls the "
                    "token passes the network as it is");
  if (settings.listen == settings.admin.listen
      && !settings.listen.ends_with(":0"))
    reading.problem("admin.listen", "expected another address than listen");
  if (settings.listener.in_flight_bytes < settings.listener.body_bytes_max)
    reading.problem("listener.in_flight_bytes",
                    fmt::format("expected at least listener.body_bytes_max, "
                                "which is {}",
                                show_size(settings.listener.body_bytes_max)));
}

void check_required(const config& settings, config_reading& reading) {
  for (const auto& [key, value] :
       {std::pair{"homeserver.name", settings.homeserver.name},
        std::pair{"homeserver.url", settings.homeserver.url}})
    if (value.empty() && !reading.has(key))
      reading.problem(key, "expected this key, it is required");
}

/// A token is written down or in a file, not both.
void check_one_source(const std::string& key, config_reading& reading) {
  if (reading.has(key) && reading.has(key + "_file"))
    reading.problem(key + "_file",
                    fmt::format("expected either {} or this key", key));
}

void check_storage(config& settings, config_reading& reading) {
  auto& storage = settings.storage;
  const std::filesystem::path sqlite{sqlite_file_of(storage.url)};
  if (storage.data_dir.empty())
    storage.data_dir
      = sqlite.empty() ? "/var/lib/weir" : sqlite.parent_path().string();
  if (storage.writers > 1 && !sqlite.empty())
    reading.problem("storage.writers",
                    "expected 1 with SQLite, more needs PostgreSQL");
  if (storage.allow_unsafe_database)
    reading.warning("storage.allow_unsafe_database",
                    "an outage of power loses events");
}

void check_trace(config& settings, config_reading& reading) {
  auto& trace = settings.trace;
  if (trace.file.empty())
    trace.file
      = (std::filesystem::path{settings.storage.data_dir} / "trace.jsonl")
          .string();
  // A trace moves an older one away.
  if (trace.file == sqlite_file_of(settings.storage.url))
    reading.problem("trace.file",
                    "expected another file than that of storage.url");
  for (const auto& name : trace.actors)
    if (!may_name_actor(name))
      reading.warning("trace.actors",
                      fmt::format("{} is no actor's name: nothing of it is "
                                  "recorded; there are {}",
                                  name, known_actors()));
  if (trace.with_content)
    reading.warning("trace.with_content",
                    "event bodies and tokens are written to the trace");
}

/// Token files may be absent, but not wrong.
void check_admin_tokens(config& settings, config_reading& reading) {
  auto& admin = settings.admin;
  if (admin.token_file.empty())
    admin.token_file
      = (std::filesystem::path{settings.storage.data_dir} / "admin.token")
          .string();
  for (const auto& [key, file] :
       {std::pair{"admin.token_file", admin.token_file},
        std::pair{"admin.viewer_token_file", admin.viewer_token_file}}) {
    if (file.empty())
      continue;
    const auto token = read_token_file(file);
    if (!token && token.error().code != ec::not_found)
      reading.problem(key, "expected a token file, " + token.error().context);
  }
  if (admin.token_file == admin.viewer_token_file)
    reading.problem("admin.viewer_token_file",
                    "expected another file than admin.token_file");
}

void check_appservice(const std::string& key, const appservice_options& options,
                      config_reading& reading) {
  check_one_source(key + ".hs_token_outbound", reading);
  // What an override leaves out stands elsewhere, and is told there.
  const bool is_own = key == defaults_key || reading.has(key + ".backoff_max")
    || reading.has(key + ".backoff_first");
  if (is_own && options.backoff_max < options.backoff_first)
    reading.problem(key + ".backoff_max",
                    fmt::format("expected at least backoff_first, which is {}",
                                show_duration(options.backoff_first)));
}

void check_producers(const config& settings, config_reading& reading) {
  std::set<std::string> names, tokens;
  for (size_t i = 0; i < settings.producers.size(); ++i) {
    const auto& producer = settings.producers[i];
    const auto key = fmt::format("producers[{}]", i);
    check_one_source(key + ".token", reading);
    const auto is_given
      = [&](const char* part) { return reading.has(key + part); };
    if (!is_given(".name"))
      reading.problem(key, "expected a name, it is required");
    else if (!names.insert(producer.name).second && !producer.name.empty())
      reading.problem(key + ".name", "expected a name of its own");
    if (!is_given(".token") && !is_given(".token_file"))
      reading.problem(key, "expected a token or a token_file");
    else if (!producer.token.empty() && !tokens.insert(producer.token).second)
      reading.problem(key, "expected a token of its own");
    if (!is_given(".realms"))
      reading.problem(key, "expected realms, they are required");
  }
}

/// Whose sends realm events are, and how it shows who it is.
void check_sender(config& settings, config_reading& reading) {
  auto& homeserver = settings.homeserver;
  check_one_source("homeserver.password", reading);
  if (homeserver.user_id.empty())
    homeserver.user_id = "@weir:" + homeserver.name;
  const auto is_named = [&](const char* secret) {
    const auto key = std::string{"homeserver."} + secret;
    return reading.has(key) || reading.has(key + "_file");
  };
  // What they hand in would be kept and never sent.
  if (!settings.producers.empty() && !is_named("as_token")
      && !is_named("password"))
    reading.problem("producers",
                    "expected homeserver.as_token or homeserver.password too, "
                    "without which nothing is sent for realms");
  if (settings.realms.queued_bytes_max_all < settings.realms.queued_bytes_max)
    reading.problem("realms.queued_bytes_max_all",
                    fmt::format("expected at least realms.queued_bytes_max, "
                                "which is {}",
                                show_size(settings.realms.queued_bytes_max)));
}

bool has_password(const std::string& url) {
  const auto scheme = url.find("://");
  const auto at = url.rfind('@');
  return scheme != std::string::npos && at != std::string::npos
    && url.substr(0, at).find(':', scheme + 3) != std::string::npos;
}

} // namespace

void check_together(config& settings, config_reading& reading) {
  check_required(settings, reading);
  check_listeners(settings, reading);
  check_storage(settings, reading);
  check_admin_tokens(settings, reading);
  check_trace(settings, reading);
  check_one_source("homeserver.as_token", reading);
  check_appservice(std::string{defaults_key}, settings.appservices.defaults,
                   reading);
  for (const auto& [id, options] : settings.appservices.overrides)
    check_appservice("appservices.overrides." + id, options, reading);
  check_producers(settings, reading);
  check_sender(settings, reading);
}

bool holds_secret(const config_reading& reading, const config& settings) {
  bool holds = reading.has("homeserver.as_token")
    || reading.has("homeserver.password")
    || reading.has("appservices.defaults.hs_token_outbound")
    || has_password(settings.storage.url);
  for (const auto& [id, options] : settings.appservices.overrides)
    holds = holds
      || reading.has("appservices.overrides." + id + ".hs_token_outbound");
  for (size_t i = 0; i < settings.producers.size(); ++i)
    holds = holds || reading.has(fmt::format("producers[{}].token", i));
  return holds;
}

} // namespace weir
