#pragma once

#include "actors/messages/pacing.hpp"
#include "actors/messages/realm.hpp"
#include "actors/messages/realm_control.hpp"
#include "actors/messages/realm_reads.hpp"
#include "actors/messages/shared.hpp"
#include "schema/time.hpp"

#include <boost/describe/class.hpp>

#include <cstdint>

/// What the REALM GATEWAY is asked by callers that are no actors. Every
/// callback runs exactly once. Errors: those of the store, and `ec::full` for a
/// wait too many.
namespace weir {

/// What became of the events of one request, and when what found no room may
/// come again.
struct realm_offers_answered {
  realm_events_taken taken;
  milliseconds realm_again{0}; ///< For what its realm had no room for,
  milliseconds all_again{0};   ///< or all of them.
};
BOOST_DESCRIBE_STRUCT(realm_offers_answered, (),
                      (taken, realm_again, all_again))

/// Events to be taken in; held while the store is away.
struct ask_submit {
  submit_realm_events request;
  callback<expected<realm_offers_answered>> done;
};
BOOST_DESCRIBE_STRUCT(ask_submit, (), (request, done))

/// Rooms that come and go.
struct ask_audience {
  change_realm_audience request;
  callback<expected<realm_audience_changed>> done;
};
BOOST_DESCRIBE_STRUCT(ask_audience, (), (request, done))

/// A whole audience: one commit's worth of it.
struct ask_replace {
  replace_realm_audience request;
  callback<expected<realm_audience_changed>> done;
};
BOOST_DESCRIBE_STRUCT(ask_replace, (), (request, done))

/// An event to be taken back.
struct ask_cancel {
  cancel_realm_event request;
  callback<expected<realm_event_cancelled>> done;
};
BOOST_DESCRIBE_STRUCT(ask_cancel, (), (request, done))

/// Dead letters to be begun anew: one commit's worth of them.
struct ask_redeliver {
  redeliver_realm_event request;
  callback<expected<realm_event_redelivered>> done;
};
BOOST_DESCRIBE_STRUCT(ask_redeliver, (), (request, done))

/// An operator's pause.
struct ask_halt {
  halt_realm request;
  callback<expected<realm_halted>> done;
};
BOOST_DESCRIBE_STRUCT(ask_halt, (), (request, done))

/// How long a read may wait, and for what.
struct read_patience {
  milliseconds token{0}; ///< For what its tokens have seen.
  milliseconds news{0};  ///< For its event to be over, or for an outcome.
};
BOOST_DESCRIBE_STRUCT(read_patience, (), (token, news))

/// One realm.
struct ask_realm {
  read_realm request;
  read_patience patience;
  callback<expected<realm_answer>> done;
};
BOOST_DESCRIBE_STRUCT(ask_realm, (), (request, patience, done))

/// A page of the feed.
struct ask_feed {
  read_feed request;
  read_patience patience;
  callback<expected<feed_answer>> done;
};
BOOST_DESCRIBE_STRUCT(ask_feed, (), (request, patience, done))

/// A page of realms.
struct ask_realms {
  read_realms request;
  callback<expected<realms_found>> done;
};
BOOST_DESCRIBE_STRUCT(ask_realms, (), (request, done))

/// How the account is paced now.
struct ask_pace {
  callback<expected<pace_view>> done;
};
BOOST_DESCRIBE_STRUCT(ask_pace, (), (done))

/// A read is to be tried again; 0: look who of those that wait is to be asked
/// for. To the gateway itself.
struct look_again {
  uint64_t ticket = 0;
};
BOOST_DESCRIBE_STRUCT(look_again, (), (ticket))

} // namespace weir
