#pragma once

#include "actors/bridge_board.hpp"
#include "actors/house.hpp"
#include "http/auth.hpp"
#include "http/own_pings.hpp"
#include "http/passed_on.hpp"
#include "http/proxy.hpp"
#include "http/router.hpp"
#include "http/server.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace weir {

/// One appservice as the main listener serves it.
struct served_appservice {
  appservice_id id;
  std::string hs_token;     ///< What the homeserver must show.
  bool query_alone = false; ///< The query token may stand for the header.
  bool sends = true;        ///< False: `url: null` (R21).
  bool dedupe_events = true;
  transaction_bounds bounds;
  proxy_link link;
};

/// All of them, as last read. Never changes: a request goes on with what it
/// began with.
struct served_appservices {
  std::vector<served_appservice> all;
  bool tokens_unique = true; ///< Requests without an id are told by token.
  std::unordered_map<std::string, const served_appservice*> by_id;
  std::vector<token_candidate> tokens; ///< In the order of `all`.
};

std::shared_ptr<const served_appservices>
make_served(std::vector<served_appservice> all, bool tokens_unique);

/// What a homeserver that could not be served is told.
inline constexpr std::chrono::seconds come_again_in{10};

/// What who reads the log is told to do about what was not taken.
std::string_view advice_for(const error& why) noexcept;

/// `content` for the store, with the bounds of its appservice.
accept_transaction offer_of(const served_appservice& to,
                            incoming_transaction content);

/// Refusals of the main listener, by reason, for /metrics.
struct listener_counts {
  std::atomic<uint64_t> accepted{0}, duplicates{0}, ids_reused{0},
    events_accepted{0}, events_repeated{0}, unauthorised{0}, unrecognised{0},
    not_json{0}, bad_json{0}, refused{0}, proxied{0}, unreachable{0},
    too_many{0}, ///< Of what is passed on.
    quarantined{0}, quarantine_full{0}, quarantine_failed{0};
  /// Of the second door: requests, and the events in them.
  struct {
    std::atomic<uint64_t> accepted{0}, not_json{0}, bad_json{0}, too_large{0},
      refused{0}, events_accepted{0}, events_duplicate{0};
  } second_door;
};

/// The main listener: what a homeserver asks of its appservices. Transactions
/// end here; everything else goes to the bridge and back as it is.
class appservice_routes {
public:
  struct options {
    std::shared_ptr<const served_appservices> appservices;
    size_t body_bytes_max = limits::inbound_body_bytes_default;
    milliseconds hold{limits::inbound_hold};
    std::shared_ptr<bridge_board> board;
    passed_on_bounds passed_on{passed_on_bounds_for(4096)};
    /// Runs a function later, on an I/O thread.
    std::function<void(milliseconds, std::function<void()>)> later;
  };

  appservice_routes(house& door, own_pings pings, options settings);

  /// Whom requests are for from now on. Thread-safe.
  void use(std::shared_ptr<const served_appservices> now);

  /// Whether requests for `id` are taken. Thread-safe.
  [[nodiscard]] bool serves(const std::string& id) const {
    return served_now()->by_id.contains(id);
  }

  /// How many are configured. Thread-safe.
  [[nodiscard]] size_t appservices() const {
    return served_now()->all.size();
  }

  /// Whether it has a url. Thread-safe.
  [[nodiscard]] bool sends(const std::string& id) const {
    const auto now = served_now();
    const auto found = now->by_id.find(id);
    return found != now->by_id.end() && found->second->sends;
  }

  /// The bounds of `id`; none when requests for it are not taken, or nothing is
  /// sent to it. Thread-safe.
  [[nodiscard]] std::optional<transaction_bounds>
  bounds_of(const std::string& id) const {
    const auto now = served_now();
    const auto found = now->by_id.find(id);
    if (found == now->by_id.end() || !found->second->sends)
      return std::nullopt;
    return found->second->bounds;
  }

  /// What to do with a request. Thread-safe.
  body_wish handle(const request_head& head);

  [[nodiscard]] const listener_counts& counts() const noexcept {
    return *counts_;
  }

private:
  using served = std::shared_ptr<const served_appservice>;

  [[nodiscard]] std::shared_ptr<const served_appservices> served_now() const;
  body_wish transaction(const served& to, const route& by,
                        const request_head& head);
  body_wish events(const served& to, const request_head& head);
  void wait_for_room(appservice_id id, std::function<void()> open,
                     std::chrono::steady_clock::time_point until);
  body_wish pass_on(const served& to, const route& by,
                    const request_head& head);
  void take(const served_appservice& to, const std::string& txn,
            std::chrono::steady_clock::time_point arrived, std::string body,
            reply answer);
  void take_events(const served_appservice& to,
                   std::chrono::steady_clock::time_point arrived,
                   const std::string& body, reply answer);
  [[nodiscard]] body_wish stored_body(const served& to,
                                      const request_head& head);
  [[nodiscard]] milliseconds
  patience(std::chrono::steady_clock::time_point arrived) const;
  void refuse_body(const served_appservice& to, const std::string& txn,
                   std::string body, const error& why, reply answer);
  void forward(const served& to, http_request request, std::string target,
               bool is_ping, uint32_t attempts,
               std::chrono::steady_clock::time_point begun, reply answer);
  [[nodiscard]] bool wait_less(const served& to, http_request& request) const;
  void note_answer(const served& to, const http_answer& got, bool waited_less);

  house& house_;
  own_pings pings_;
  options options_;
  passed_on passed_on_;
  mutable std::mutex mutex_; ///< Of `options_.appservices`.
  std::shared_ptr<listener_counts> counts_;
};

} // namespace weir
