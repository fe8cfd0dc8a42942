#pragma once

#include "actors/messages/admin.hpp"
#include "http/reloader.hpp"
#include "schema/error.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <span>
#include <string>
#include <string_view>

/// The JSON of the admin API; shapes are in docs/api.md.
namespace weir {

/// What is known of one appservice that the store does not know.
struct queue_surroundings {
  bool configured = true; ///< False: it was taken out; what it is owed stays.
  bool has_url = true;    ///< False: `url: null`, it is sent nothing.
  bool full = false;      ///< At its bound: the homeserver's requests are held.
};

/// One queue.
nlohmann::json queue_json(const queue_view& view, stored_time as_of,
                          const queue_surroundings& around);

/// @param around Empty: there is nothing to know.
std::string status_json(
  std::span<const queue_view> queues, stored_time as_of,
  const std::function<queue_surroundings(const std::string&)>& around);

/// What was changed, or the error and every problem.
std::string reload_json(const reload_report& report);

/// `appservice`, `after`, `limit`. Errors: `ec::invalid_argument`.
expected<read_dead_letters> parse_dead_letters_query(std::string_view query);

/// @param asked The page size: a full page names where the next begins.
std::string dead_letters_json(std::span<const dead_letter_row> letters,
                              uint64_t asked);

/// One letter with its bytes as the string `content`.
std::string dead_letter_json(const dead_letter_row& letter);

} // namespace weir
