#pragma once

#include "actors/bridge_board.hpp"
#include "actors/messages/store.hpp"
#include "actors/policy/delivery.hpp"
#include "actors/policy/pacer.hpp"
#include "actors/policy/realm_admission.hpp"
#include "schema/http.hpp"
#include "schema/ids.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace weir {

/// How one appservice is served, as its queue needs it.
struct queue_settings {
  appservice_id id;
  http_peer peer;           ///< Empty url: `url: null`, nothing is ever sent.
  secret hs_token;          ///< Towards the bridge.
  bool query_token = false; ///< Also as `access_token` in the query.
  http_deadlines deadlines;
  transaction_bounds bounds;
  policy::delivery::limits limits;
  friend bool operator==(const queue_settings&, const queue_settings&)
    = default;
};
BOOST_DESCRIBE_STRUCT(queue_settings, (),
                      (id, peer, hs_token, query_token, deadlines, bounds,
                       limits))

/// Whose sends realm events are, and how realms are served.
struct realm_settings {
  std::string account; ///< A user id; empty: realms are not served.
  http_peer peer;      ///< The homeserver.
  /// Of Weir's own registration; not used when there is a password.
  secret as_token;
  secret password;
  std::string device; ///< Scope of transaction ids (Q31); may be empty.
  policy::pace_limits pace;
  http_deadlines deadlines{milliseconds{10'000}, milliseconds{30'000},
                           milliseconds{30'000}};
  policy::realm_admission::bounds bounds;
  std::vector<std::string> ordered; ///< Realms of `realm_ordering::realm`;
                                    ///< `*` matches anything.
  milliseconds audience_wait{0};    ///< D12.
  milliseconds idle_after{30'000};
};
BOOST_DESCRIBE_STRUCT(realm_settings, (),
                      (account, peer, as_token, password, device, pace,
                       deadlines, bounds, ordered, audience_wait, idle_after))

/// Shared by all actors of one house, read only.
struct house_settings {
  std::vector<queue_settings> queues;
  realm_settings realms; ///< Only a restart takes notice of changes.
  milliseconds idle_after{30'000};
  milliseconds owed_scan_every{5'000};
  milliseconds beat_every{2'000};
  milliseconds forget_every{60'000};
  /// How long rows of an appservice stay that no configuration names.
  milliseconds keep_removed{30LL * 24 * 3'600'000};
  milliseconds drain_timeout{20'000};
  uint64_t seed = 0; ///< Of the jitter; drawn at random in service.
  std::shared_ptr<bridge_board> board; ///< May be null.
};
BOOST_DESCRIBE_STRUCT(house_settings, (),
                      (queues, realms, idle_after, owed_scan_every, beat_every,
                       forget_every, keep_removed, drain_timeout, seed, board))

/// Those that `now` serves in another way than `before`, and those it adds.
std::set<appservice_id> changed_queues(const house_settings& before,
                                       const house_settings& now);

/// Those that anything is sent to, in their order.
std::vector<appservice_id> with_url(const house_settings& settings);

/// The configuration was read again: other appservices, or served in another
/// way. Of the rest only a restart takes notice. Supervisor, directory, pinger,
/// janitor.
struct use_settings {
  std::shared_ptr<const house_settings> value;
};
BOOST_DESCRIBE_STRUCT(use_settings, (), (value))

/// The same, to one queue.
struct use_queue_settings {
  queue_settings value;
};
BOOST_DESCRIBE_STRUCT(use_queue_settings, (), (value))

} // namespace weir
