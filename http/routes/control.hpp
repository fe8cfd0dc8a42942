#pragma once

#include "actors/messages/admin.hpp"
#include "actors/messages/control.hpp"
#include "actors/policy/explanation.hpp"
#include "http/exchange.hpp"
#include "http/routes/admin_json.hpp"
#include "schema/error.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

/// What the admin API says and understands of queues and commands; shapes are
/// in docs/api.md.
namespace weir {

/// `/queues/{id}` or `/queues/{id}/{verb}`.
struct queue_path {
  std::string id;   ///< Percent-decoded.
  std::string verb; ///< Empty: the queue itself.
};

/// Nothing for a path with more segments, or without an id. `path` begins with
/// `/queues/`.
std::optional<queue_path> parse_queue_path(std::string_view path);

/// A command of the admin API: `by`, `reason`, `txn`, `force` in the query.
/// Errors: `ec::not_found` for a verb that is none, `ec::invalid_argument`.
expected<queue_command> parse_command(const queue_path& path,
                                      std::string_view query);

/// `after`, `limit`; `before`, `limit`. Errors: `ec::invalid_argument`.
expected<read_queues> parse_queues_query(std::string_view query);
expected<read_commands> parse_commands_query(std::string_view query);

/// What an operator is told of a command: a sentence, and what a program needs.
/// @param known The configuration names the appservice.
http_response command_reply(const queue_command& what,
                            const expected<command_done>& done, bool known);

/// The store is taken to be writable.
policy::queue_facts facts_of(const queue_view& view,
                             const queue_surroundings& around);

/// A page of queues.
std::string queues_json(nlohmann::json queues, std::optional<int64_t> next,
                        stored_time as_of);
/// Since when a cause holds, as far as it is known; else zero.
stored_time since_of(policy::queue_cause cause, const queue_view& view);

/// The queue with why it is as it is, what comes next and what to do.
/// @param since Of the cause; zero when it is not known.
std::string explain_json(nlohmann::json queue,
                         const policy::explanation& explained,
                         stored_time as_of, stored_time since);
/// A page of commands, the newest last. A full page names where the one before
/// it ends.
std::string commands_json(std::span<const command_row> rows, uint64_t asked);

} // namespace weir
