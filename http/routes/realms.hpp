#pragma once

#include "actors/realm_door.hpp"
#include "http/auth.hpp"
#include "http/exchange.hpp"
#include "http/routes/bulk_lines.hpp"
#include "http/routes/realm_paths.hpp"
#include "http/routes/realm_replies.hpp"
#include "persistence/tokens.hpp"
#include "schema/config.hpp"
#include "schema/realm_submission.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace weir {

struct errand_tools;

/// The producers, as last read. Never changes: a request goes on with what it
/// began with.
struct served_producers {
  std::vector<producer_options> all;
  std::vector<token_candidate> tokens; ///< In the order of `all`.
};

std::shared_ptr<const served_producers>
make_producers(std::vector<producer_options> all);

/// Requests of producers by what became of them, and events, for /metrics.
struct producer_counts {
  std::atomic<uint64_t> requests{0}, unauthorised{0}, forbidden{0},
    malformed{0}, failed{0}, ///< The store was away.
    tokens_refused{0}, waits_refused{0}, queued{0}, merged{0}, replayed{0},
    key_reused{0}, too_large{0}, realm_full{0}, all_full{0}, held{0};
};

/// The producer API: realm events come in here and outcomes are read. Shapes
/// are in docs/api.md.
class realm_routes {
public:
  struct options {
    std::shared_ptr<const served_producers> producers;
    std::string account; ///< Whose sends realm events are.
    policy::realm_admission::bounds bounds;
    std::shared_ptr<const token_authority> tokens;
    std::function<uint64_t()> random; ///< 64 random bits.
  };

  realm_routes(const realm_door& door, options settings);

  /// Whether a request is for this API. The rest is not looked at.
  static bool is_meant(const request_head& head);

  /// Who may hand in events from now on. Thread-safe.
  void use(std::shared_ptr<const served_producers> now);

  /// What to do with a request. Thread-safe.
  body_wish handle(const request_head& head);

  [[nodiscard]] const producer_counts& counts() const noexcept {
    return *counts_;
  }

private:
  using producer = std::shared_ptr<const producer_options>;

  /// A request whose producer is known and may use its realm.
  struct asked_for {
    producer by;
    realm_route to;
    realm_read_query query;
    std::optional<uint64_t> if_version; ///< Of `If-Match`.

    [[nodiscard]] std::string principal() const {
      return "producer/" + by->name;
    }
  };

  [[nodiscard]] errand_tools tools_of(const asked_for& what) const;
  body_wish refuse(std::atomic<uint64_t>& reason, http_response response);
  body_wish wish_for(asked_for what);
  void answer_read(const asked_for& what, const reply& answer);
  void read_outcomes(const asked_for& what, const reply& answer);
  void act(const asked_for& what, const reply& answer);
  void take(const asked_for& what, const std::string& body,
            const reply& answer);
  void submit(const asked_for& what, const std::string& body,
              const reply& answer);
  void submit_bulk(const asked_for& what, const std::string& body,
                   const reply& answer);
  void change_rooms(const asked_for& what, audience_change change,
                    const reply& answer);
  void replace_rooms(const asked_for& what, std::vector<room_id> rooms,
                     const reply& answer);
  void cancel(const asked_for& what, const reply& answer);
  void redeliver(const asked_for& what, const reply& answer);

  const realm_door& door_;
  options options_;
  mutable std::mutex mutex_; ///< Of `options_.producers`.
  std::shared_ptr<producer_counts> counts_;
};

/// `we_` and 26 characters of 128 random bits.
std::string draw_event_id(const std::function<uint64_t()>& random);

/// What an unanswered write is told: it was done or was not.
http_response write_failed(const error& why);

/// Counts what became of one offer.
void count_offer(producer_counts& into, offer_result how);

} // namespace weir
