#pragma once

#include "persistence/realm_view.hpp"
#include "persistence/rows.hpp"
#include "schema/store_history.hpp"
#include "schema/time.hpp"

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// What the STORE READERS are asked of realms by who presents stream tokens.
/// Errors: `ec::unavailable`. Tokens travel as text, and are verified and made
/// where the snapshot is.
namespace weir {

/// The tokens of one request, and whose they must be.
struct token_claim {
  std::string principal;
  std::string filter; ///< The listing and all that chooses its rows.
  std::string since;  ///< Where a listing goes on; empty: from the beginning.
  std::string after;  ///< What the answer must be as new as; empty: nothing.
};
BOOST_DESCRIBE_STRUCT(token_claim, (), (principal, filter, since, after))

/// One realm, and what of it is asked for. Reply: `realm_answer`.
struct read_realm {
  realm_question what;
  token_claim by;
};
BOOST_DESCRIBE_STRUCT(read_realm, (), (what, by))

/// A realm as of one commit, or why the token cannot be read by.
struct realm_answer {
  token_standing how; ///< Not covered: nothing else is told.
  realm_facts facts;
  std::string token; ///< Of this answer.
  stored_time as_of;
};
BOOST_DESCRIBE_STRUCT(realm_answer, (), (how, facts, token, as_of))

/// Outcomes of realms behind a token. Reply: `feed_answer`.
struct read_feed {
  std::vector<std::string> realms; ///< Patterns of those that may be seen.
  uint64_t rows_max = 0;
  token_claim by;
};
BOOST_DESCRIBE_STRUCT(read_feed, (), (realms, rows_max, by))

/// A page of the feed, or why the token cannot be read by.
struct feed_answer {
  token_standing how;
  std::vector<outcome_row> rows;
  bool more = false; ///< There are rows behind it already.
  std::string next;  ///< Token of the next page.
};
BOOST_DESCRIBE_STRUCT(feed_answer, (), (how, rows, more, next))

/// A page of realms by number, for operators. Reply: `realms_found`.
struct read_realms {
  int64_t after = 0;
  uint64_t rows_max = 100;
};
BOOST_DESCRIBE_STRUCT(read_realms, (), (after, rows_max))

/// One realm of a listing.
struct realm_listed {
  realm_row row;
  stored_time oldest_accepted_at; ///< Zero: nothing is open.
};
BOOST_DESCRIBE_STRUCT(realm_listed, (), (row, oldest_accepted_at))

/// Realms, each as it was at some moment of the reading.
struct realms_found {
  std::vector<realm_listed> realms;
  stored_time as_of;
};
BOOST_DESCRIBE_STRUCT(realms_found, (), (realms, as_of))

} // namespace weir
