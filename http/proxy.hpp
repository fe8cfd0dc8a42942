#pragma once

#include "http/exchange.hpp"
#include "schema/bytes.hpp"
#include "schema/http.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace weir {

/// How requests are passed on to one bridge.
struct proxy_link {
  http_peer peer;
  std::string token; ///< What the bridge expects, `hs_token` of its file.
  /// The bridge reads only the query token; else it never sees one (D3).
  bool legacy_query = false;
  /// For the whole exchange; below the 60 s of a homeserver, whose event loop
  /// stands still meanwhile (D6, C13).
  std::chrono::milliseconds wait{25'000};
};

/// The request to the bridge: method, raw target and body as they came, with
/// the bridge's own token. Fields that belong to one connection are left out,
/// also those that Connection names, and Host, Expect, Content-Length. A body
/// without a type is JSON, since matrix-appservice drops any other silently.
/// `forward` is `route::forward`. Source: spec D1-D4, E1.
http_request proxy_request(const request_head& head, std::string_view forward,
                           shared_bytes body, const proxy_link& link);

/// The bridge's answer as it is, but for fields that belong to one connection;
/// redirections too, which only the asker may follow. Without an answer: 504
/// when time ran out, else 502, never 404, since that would mean "no such user"
/// and fail a join for good. Source: spec D4, D5.
http_response proxy_response(http_answer answer);

/// The answer to a request that is not passed on, since so many wait for the
/// bridge already: the 502 of one that is not there, at once (D5, D6).
http_response too_many_unanswered();

/// Pause before the request is sent again.
inline constexpr std::chrono::milliseconds proxy_retry_pause{500};

/// Whether a request that failed should be held and sent again. Only the
/// look-up of a third-party protocol is: a homeserver keeps its failure for an
/// hour, so one restart of a bridge would hide the protocol that long (D7).
/// `attempts` counts the sends so far, `elapsed` runs since the first.
bool may_retry(std::string_view forward, const http_answer& answer,
               uint32_t attempts, std::chrono::milliseconds elapsed);

} // namespace weir
