#pragma once

#include "persistence/store.hpp"
#include "schema/ids.hpp"

#include <boost/describe/class.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

/// What the STORE READERS are asked. Errors: `ec::unavailable`.
namespace weir {

/// One page of queues, by number. Reply: `queues_page`.
struct read_queues {
  int64_t after = 0;
  uint64_t rows_max = 100;
};
BOOST_DESCRIBE_STRUCT(read_queues, (), (after, rows_max))

/// Queues as they were at `as_of`.
struct queues_page {
  std::vector<queue_view> queues;
  stored_time as_of;
};
BOOST_DESCRIBE_STRUCT(queues_page, (), (queues, as_of))

/// One page of dead letters, without their bytes. Reply: `dead_letters_page`.
struct read_dead_letters {
  std::optional<appservice_id> appservice;
  int64_t after = 0;
  uint64_t rows_max = 100;
};
BOOST_DESCRIBE_STRUCT(read_dead_letters, (), (appservice, after, rows_max))

/// Dead letters of one snapshot.
struct dead_letters_page {
  std::vector<dead_letter_row> letters;
};
BOOST_DESCRIBE_STRUCT(dead_letters_page, (), (letters))

/// One page of quarantined bodies, without their bytes. Reply:
/// `quarantine_page`.
struct read_quarantine {
  std::optional<appservice_id> appservice;
  int64_t after = 0;
  uint64_t rows_max = 100;
};
BOOST_DESCRIBE_STRUCT(read_quarantine, (), (appservice, after, rows_max))

/// One quarantined body, whole. Reply: `quarantine_page` of none or one.
struct read_quarantined {
  int64_t id = 0;
};
BOOST_DESCRIBE_STRUCT(read_quarantined, (), (id))

/// Quarantined bodies of one snapshot.
struct quarantine_page {
  std::vector<quarantine_row> bodies;
};
BOOST_DESCRIBE_STRUCT(quarantine_page, (), (bodies))

/// One dead letter, whole. Reply: `dead_letters_page` of none or one.
struct read_dead_letter {
  int64_t id = 0;
};
BOOST_DESCRIBE_STRUCT(read_dead_letter, (), (id))

/// One queue. Reply: `queues_page` of none or one.
struct read_queue {
  appservice_id appservice;
};
BOOST_DESCRIBE_STRUCT(read_queue, (), (appservice))

/// The newest commands below an id. Reply: `commands_page`.
struct read_commands {
  int64_t before = std::numeric_limits<int64_t>::max();
  uint64_t rows_max = 100;
};
BOOST_DESCRIBE_STRUCT(read_commands, (), (before, rows_max))

/// Commands of one snapshot, the newest last.
struct commands_page {
  std::vector<command_row> commands;
};
BOOST_DESCRIBE_STRUCT(commands_page, (), (commands))

} // namespace weir
