#pragma once

#include "actors/messages/realm.hpp"
#include "actors/messages/realm_control.hpp"
#include "actors/messages/realm_reads.hpp"
#include "http/exchange.hpp"
#include "schema/token_refusal.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>

/// The answers of the producer API; shapes are in docs/api.md.
namespace weir {

/// When a producer that was refused may come back.
struct room_again {
  milliseconds in_realm{0}; ///< For an event that its realm had no room for,
  milliseconds in_all{0};   ///< or all of them.
};

/// Why a token is not read by (T9).
http_response token_reply(token_refusal why);

/// One offer of a line or a request, with what it is answered: `status` and the
/// body's members. A refusal has `errcode` and `error`.
struct offer_answer {
  int status = 202;
  nlohmann::json body() const;

  offer_taken taken;
  room_again again;
  std::string token; ///< Of the commit; empty: nothing was committed.
};
offer_answer answer_of(const offer_taken& taken, const room_again& again,
                       const std::string& token);
/// The same as a whole answer.
http_response offer_reply(const offer_answer& what);

/// After a change of an audience.
http_response audience_reply(const realm_id& realm,
                             const realm_audience_changed& done,
                             const std::string& token);

/// An event with a page of its rooms; 404 when it is not there.
http_response event_reply(const realm_answer& found);
/// A page of an audience; a realm that is not there has none.
http_response rooms_reply(const realm_id& realm, const realm_answer& found);
/// @param pace Of its account, as far as it is known.
http_response status_reply(const realm_id& realm, const realm_answer& found,
                           const nlohmann::json& pace);
http_response cancelled_reply(const realm_event_cancelled& done,
                              const std::string& token);
http_response feed_reply(const feed_answer& page);

/// Why a realm's events go as they do, for a person; of what `status_reply`
/// tells.
std::string why_of(const nlohmann::json& status);
/// A realm for operators.
nlohmann::json realm_json(const realm_row& row, stored_time oldest,
                          stored_time as_of);
/// An event by itself.
nlohmann::json event_json(const realm_event_row& row);

/// 429 or 503 with how long to wait.
http_response wait_reply(int status, std::string_view errcode,
                         std::string_view text, milliseconds retry_after);

} // namespace weir
