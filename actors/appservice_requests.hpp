#pragma once

#include "actors/messages/store.hpp"
#include "actors/policy/delivery.hpp"
#include "actors/settings.hpp"
#include "schema/http.hpp"
#include "schema/log.hpp"

#include <string>

/// What an appservice queue says: to the bridge, to the store, to the log.
namespace weir {

/// `PUT /_matrix/app/v1/transactions/{id}` with the pinned bytes, or the path
/// without the prefix for bridges from before v1. Source: Application Service
/// API, "Pushing events"; E1.
http_request transaction_request_to(const queue_settings& to,
                                    const owed_transaction& what,
                                    bool legacy_path);

/// `POST /_matrix/app/v1/ping`, to see whether the bridge answers anything.
http_request ping_request_to(const queue_settings& to);

/// Any answer that a running bridge gives, even 404: many have no ping.
[[nodiscard]] bool shows_life(const http_answer& answer) noexcept;

/// No connection came about.
[[nodiscard]] bool never_connected(const http_answer& answer) noexcept;

publish_status status_of(const appservice_id& id,
                         const policy::delivery& delivery, instant now);

/// What of a status is worth a commit when it changes.
std::string summary_of(const publish_status& status);

void tell_refusal(const logger& log, const appservice_id& id,
                  const owed_transaction& what,
                  const policy::delivery& delivery,
                  const policy::verdict& verdict, const http_answer& answer,
                  instant now);

/// When nothing passes the head of the queue any more: a person must act.
void tell_blocked(const logger& log, const appservice_id& id,
                  const owed_transaction& what,
                  const policy::delivery& delivery);

void tell_settled(const logger& log, const appservice_id& id,
                  const owed_transaction& what,
                  const policy::delivery& delivery, settlement how);

} // namespace weir
