#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// Every hard bound of Weir with its reason. What an operator may change is in
/// schema/config.hpp; these are the walls around it.
namespace weir::limits {

using namespace std::chrono_literals;

// -- what a homeserver may send ----------------------------------------------

/// 100 events of 64 KiB with `unsigned`, 100 to-device of 64 KiB, ephemeral
/// twice: the default must never answer a homeserver 413 (R7).
inline constexpr size_t inbound_body_bytes_default = size_t{64} << 20;
inline constexpr size_t inbound_body_bytes_max = size_t{512} << 20;
/// Far above any real event, far below what a parser's stack can take.
inline constexpr size_t json_depth_max = 200;
/// Of one transaction of a homeserver, all lanes together. Synapse sends some
/// hundred; each costs the store a row, so that a body of millions of tiny ones
/// would hold up everybody else for minutes.
inline constexpr size_t transaction_elements_max = 10'000;
/// Of one request of the second door: what one batch of the store holds. The
/// sender cuts its backlog itself.
inline constexpr size_t submission_events_max = 1'000;
/// A homeserver gives up after 60 s; answering 503 before that tells it when
/// to come back (R2).
inline constexpr auto inbound_hold = 45s;

// -- one outgoing transaction ------------------------------------------------

/// What Synapse itself sends at most, so what bridges have met (C14).
inline constexpr size_t transaction_events_max = 100;
inline constexpr size_t transaction_ephemeral_max = 100;
inline constexpr size_t transaction_to_device_max = 100;
/// Below matrix-appservice's 5,000,000 (R16).
inline constexpr size_t transaction_bytes_default = 4'000'000;
inline constexpr size_t transaction_bytes_min = 1'000;
inline constexpr size_t transaction_bytes_max = 64'000'000;

// -- the bounds of a queue ----------------------------------------------------

/// Rows and bytes that one commit gives up at most: two transactions' worth,
/// each some statements of its own.
inline constexpr size_t overflow_rows_max = 200;
inline constexpr size_t overflow_bytes_max = size_t{4} << 20;
/// Rows that one commit looks through for events that are too old, behind
/// others that do not age.
inline constexpr size_t overflow_looked_max = 2'000;

// -- lanes other than events --------------------------------------------------

/// A homeserver sends at most 100 a step (C14), so this is ten of its steps.
inline constexpr size_t ephemeral_waiting_default = 1'000;
inline constexpr size_t ephemeral_waiting_max = 10'000;
/// Of what waits in the ephemeral lane of one appservice: an accept reads what
/// its own elements may replace, a pin reads all of it.
inline constexpr size_t ephemeral_waiting_bytes_max = size_t{4} << 20;
/// Clients say again every few seconds that somebody types.
inline constexpr auto typing_age_default = 30s;
inline constexpr auto ephemeral_age_default = 1h;
/// Of a merged device list or key count: it is written anew with each merge,
/// and no bridge's bound on bodies is below it. What is beyond begins another.
inline constexpr size_t merged_value_bytes_max = size_t{256} << 10;

// -- one batch of the store writer -------------------------------------------

/// Room for the transactions of eight busy appservices at once, 100 events of
/// 1 kB each: sharing their commits is worth 1.6 times the throughput of one
/// accept a batch (docs/scale.md). Written in some 40 ms.
inline constexpr size_t batch_rows_max = 1'000;
inline constexpr size_t batch_bytes_max = size_t{1} << 20;
/// A batch that takes longer is a database that is away.
inline constexpr auto batch_statement_timeout = 5s;
/// A page for a person that takes longer is given up: its snapshot holds back
/// the checkpoints of SQLite and the cleaner of PostgreSQL.
inline constexpr auto read_statement_timeout = 5s;
/// How long an asker waits for its operation to be begun.
inline constexpr auto operation_deadline = 10s;
/// And then for the commit, so that an asker outwaits the writer.
inline constexpr auto operation_commit_grace = 10s;

// -- what is remembered ------------------------------------------------------

inline constexpr size_t seen_events_max = 100'000; ///< Per appservice (R4).
inline constexpr auto seen_events_age = 24h;
/// Longer than the longest pause between two tries of one transaction by any
/// homeserver (512 s for Synapse), with a night's margin (R5).
inline constexpr auto inbound_transactions_age = 24h;
inline constexpr size_t inbound_transactions_max = 20'000; ///< Per appservice.
/// Of one homeserver's id. A homeserver retries its latest transaction alone,
/// so what came many generations ago is no retry; one that gives all it sends
/// the same id would have each accept read every transaction of a day.
inline constexpr size_t inbound_generations_max = 32;
/// Device lists and key counts behind the pin that a new one is merged into;
/// one that an older row stands for is appended. To read them is some 20 ms.
inline constexpr size_t merged_values_max = 10'000;
/// What the second door took in, per appservice. Longer than any outage over
/// which a homeserver would hand the same in again; what is still owed is
/// remembered in any case.
inline constexpr size_t orderings_max = 1'000'000;
inline constexpr auto orderings_age = 7 * 24h;
inline constexpr auto outcomes_age = 7 * 24h;
inline constexpr size_t outcomes_max = 1'000'000;
/// What operators had done: a year of ten a day, in some 2 MiB.
inline constexpr size_t commands_max = 4'000;
/// Of all appservices together; one of them may use half of each.
inline constexpr size_t dead_letter_bytes_max = size_t{1} << 30;
inline constexpr size_t quarantine_bytes_max = size_t{256} << 20;
/// Dead letters that one commit puts back or drops at most: a transaction's
/// worth, so that whoever waits behind it hardly notices.
inline constexpr size_t kept_changed_max = 100;
inline constexpr size_t kept_changed_bytes_max = size_t{4} << 20;
/// Rows of a removed appservice that one commit deletes at most.
inline constexpr size_t remove_rows_max = 500;
/// A page of any listing.
inline constexpr size_t page_rows_max = 200;
/// PostgreSQL looks at every file of the database to tell its size. It grows
/// slowly, and who watches it looks at hours.
inline constexpr std::chrono::minutes database_size_every{5};

// -- stream tokens ------------------------------------------------------------

/// What fits into a query of any proxy beside other parameters (T6).
inline constexpr size_t token_chars_max = 1'024;
/// As many store writers as a cluster may have (T2).
inline constexpr size_t token_slots_max = 64;
/// The key after which a page goes on: ids and positions, no content.
inline constexpr size_t token_page_key_max = 128;
/// One that signs and those of some changes before.
inline constexpr size_t token_keys_max = 8;
/// How long a read waits for what its token has seen (T19).
inline constexpr auto token_wait_default = 5s;
inline constexpr auto token_wait_max = 10s;
/// For a position that the primary itself does not have: a synchronous standby
/// may have shown a commit for a moment before the primary does (T9).
inline constexpr auto token_ahead_wait = 1s;
/// How soon a read that waits looks again: at first, and at last.
inline constexpr auto token_look_first = 5ms;
inline constexpr auto token_look_last = 50ms;
/// What a client is told that was not served (T20).
inline constexpr auto token_retry_after = 1s;

// -- pauses ------------------------------------------------------------------

/// Longer requests to wait are cut to this (G7).
inline constexpr auto retry_after_max = 15min;
/// Own pauses below this are not stored; a restart forgets them (design, Time).
inline constexpr auto own_pause_stored_from = 5s;

} // namespace weir::limits
