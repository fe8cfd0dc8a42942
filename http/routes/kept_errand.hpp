#pragma once

#include "actors/messages/kept.hpp"
#include "http/exchange.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// What the admin API has done with dead letters and quarantined bodies; shapes
/// are in docs/api.md.
namespace weir {

/// Rows that one request may name: one commit's worth.
inline constexpr size_t named_rows_max = limits::kept_changed_max;

/// Which rows a request means: those it names, or a commit's worth of one
/// appservice.
struct kept_change {
  std::optional<appservice_id> appservice;
  kept_selection which;
  std::string by = "admin"; ///< Who is said to have asked.
};

/// `id` (any number of times), or `appservice` with `after` and `until`; `by`.
/// Errors: `ec::invalid_argument`.
expected<kept_change> parse_kept_change(std::string_view query);

/// How one kind of kept row is found and changed. Continuations run once.
struct kept_kind {
  std::string not_found; ///< What is said of the only one that is named.
  /// Whose a row is; none when it is not there.
  std::function<void(
    int64_t id, std::function<void(expected<std::optional<appservice_id>>)>)>
    owner_of;
  /// Why rows of an appservice may not be changed, if they may not.
  std::function<std::optional<http_response>(const std::string& appservice)>
    objection;
  /// One commit.
  std::function<void(const appservice_id&, kept_selection,
                     std::function<void(expected<kept_changed>)>)>
    change;
};

/// Changes what is meant, commit by commit, and answers.
void change_kept(kept_kind kind, kept_change what, reply answer);

} // namespace weir
