#include "http/prepared.hpp"

#include "http/start_checks.hpp"
#include "persistence/clock_offset.hpp"
#include "schema/config_files.hpp"
#include "schema/log.hpp"
#include "schema/token_keys.hpp"

#include <chrono>
#include <utility>

namespace weir {

namespace {

const logger log_{"weir"};

/// More than two beats of another node's slot.
constexpr auto foreign_slot_watch = std::chrono::seconds{5};

/// A store that cannot be written now keeps its offset until the next start.
void go_back_to_true_time(const store_options& options) {
  const auto given_up = give_up_clock_offset(options);
  if (!given_up)
    log_.warn("clock offset kept what={}", to_string(given_up.error()));
  else if (given_up.value().count() != 0)
    log_.info("clock offset given up ms={}", given_up.value().count());
}

} // namespace

expected<prepared> prepare(const config& settings) {
  WEIR_TRY(make_data_dir(settings.storage.data_dir));
  WEIR_TRY(auto lock, data_lock::acquire(settings.storage.data_dir));
  WEIR_TRY(auto node, node_name(settings.storage.data_dir));
  WEIR_TRY(auto token, ensure_token_file(settings.admin.token_file));
  std::string viewer;
  if (!settings.admin.viewer_token_file.empty()) {
    WEIR_TRY(viewer, ensure_token_file(settings.admin.viewer_token_file));
  }
  WEIR_TRY(auto keys,
           ensure_token_keys(settings.storage.data_dir + "/token.keys"));
  store_options options{settings.storage.url,
                        settings.storage.allow_unsafe_database};
  WEIR_TRY(auto identity, prepare_store(options, node, foreign_slot_watch));
  go_back_to_true_time(options);
  return prepared{std::move(lock),
                  std::move(node),
                  std::move(token),
                  std::move(viewer),
                  std::move(identity),
                  options,
                  std::make_shared<const token_authority>(std::move(keys))};
}

} // namespace weir
