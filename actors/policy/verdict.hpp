#pragma once

#include "schema/http.hpp"
#include "schema/time.hpp"

#include <boost/describe/enum.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir::policy {

/// What a bridge's answer to one transaction means for that transaction.
enum class verdict_kind : uint8_t {
  accepted,  ///< Delivered; the cursor may move.
  transient, ///< Try again after a pause; says nothing of the content.
  misconfigured_token, ///< Try again, alert: credentials are wrong on the way.
  misconfigured_path,  ///< Try again, alert: nobody serves this at that URL.
  too_big,             ///< Plan anew with fewer bytes, under a new id.
  rejected,            ///< The content is refused; counts toward a bisect.
  /// No verdict, but the request reached the bridge: suspect only when the
  /// bridge answers a ping otherwise.
  no_verdict_hang,
};
BOOST_DESCRIBE_ENUM(verdict_kind, accepted, transient, misconfigured_token,
                    misconfigured_path, too_big, rejected, no_verdict_hang)

/// The enumerator's name.
std::string_view to_string(verdict_kind of) noexcept;

/// One answer, judged.
struct verdict {
  verdict_kind kind = verdict_kind::transient;
  /// Stable short class, fit for a metric label: `accepted`, `timeout`,
  /// `connect_refused`, `http_503`, …; from a bounded set (statuses that are
  /// not singled out become `http_3xx`, `http_4xx`, `http_5xx`).
  std::string cause;
  /// What the peer asked for; set for any answer but an accepted one.
  std::optional<milliseconds> retry_after;
  /// What the transport said of a failure, for a person: a line of ASCII.
  std::string detail = {};
};

/// Judges what became of one push.
///
/// An answer whose head arrived is judged by its status, whatever happened to
/// its body: any 2xx is an acknowledgement and its body is not looked at.
/// Without a status:
///
/// | failure | kind |
/// |---|---|
/// | name, refused, tls, connect_timeout, aborted | transient |
/// | answer_timeout, reset, malformed, too_large | no_verdict_hang |
///
/// By status:
///
/// | status | kind |
/// |---|---|
/// | 2xx | accepted |
/// | 3xx | misconfigured_path: redirects of a PUT are never followed |
/// | 401, 403, 407 | misconfigured_token |
/// | 404, 405, 410, 421, 426 | misconfigured_path |
/// | 413 | too_big |
/// | 408, 425, 429, and 5xx but 500 | transient |
/// | 500 | no_verdict_hang: how most bridges report a crash in a handler |
/// | other 4xx | rejected |
/// | 1xx and what is no status | no_verdict_hang, `malformed` |
///
/// 407, 410, 421 and 426 are by definition about the way to the bridge (a
/// proxy's credentials, a URL given up, a wrong host or protocol) and never
/// about a body: taking them for a rejection would give up good events.
///
/// @param now For a Retry-After that is a date and comes without a Date.
/// Source: R13, R17 of the appservice rules.
[[nodiscard]] verdict judge(const http_answer& answer, stored_time now);

} // namespace weir::policy
