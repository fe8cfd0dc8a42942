#include "tests/bench/ledger.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace bench {

namespace {

/// What a homeserver sends at most, and Weir.
constexpr int64_t events_max = 100;
/// Events that are recognised when they come again, for each appservice.
constexpr size_t seen_max = 100'000;

int64_t wall_ms() {
  return std::chrono::system_clock::now().time_since_epoch()
    / std::chrono::milliseconds{1};
}

void migrate(database& on, const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& each : std::filesystem::directory_iterator{folder})
    files.push_back(each.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    std::ifstream from{file};
    on.run(std::string{std::istreambuf_iterator<char>{from}, {}});
  }
}

/// The key of a row of the outbox.
int64_t place_of(const queue_row& queue, int64_t seq) {
  return (queue.no << 40) + seq;
}

/// Eight bytes, big endian.
void pack(int64_t hash, std::string& to) {
  for (int shift = 56; shift >= 0; shift -= 8)
    to.push_back(
      static_cast<char>(static_cast<uint64_t>(hash) >> shift & 0xFF));
}

std::string packed(std::span<const event_slice> events) {
  std::string bytes;
  for (const auto& each : events)
    pack(each.hash, bytes);
  return bytes;
}

} // namespace

bool seen_hashes::insert(int64_t hash) {
  if (!known_.insert(hash).second)
    return false;
  in_order_.push_back(hash);
  if (in_order_.size() > seen_max) {
    known_.erase(in_order_.front());
    in_order_.pop_front();
  }
  return true;
}

struct ledger::statements {
  explicit statements(database& on) : on_{on} {
  }
  database& on_;
  statement fence{on_,
                  "UPDATE slot SET pos = pos + 1, beat = beat + 1 "
                  "WHERE slot = 1 AND run = ? AND pos = ?"};
  statement find{on_,
                 "SELECT no, next_seq, next_txn, pin_id, pin_sha256, "
                 "pin_events, pin_bytes, acked, owed_bytes, "
                 "delivered_transactions, delivered_events "
                 "FROM appservice WHERE id = ?"};
  statement make{
    on_,
    "INSERT INTO appservice (id, next_seq, next_txn, acked, owed_events, "
    "owed_others, owed_bytes, delivered_stream_ordering, not_before, "
    "paused_by, suspect_first, suspect_last, byte_cap, "
    "delivered_transactions, delivered_events) "
    "VALUES (?, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)"};
  statement save{
    on_,
    "UPDATE appservice SET next_seq = ?, next_txn = ?, pin_id = ?, "
    "pin_format = 1, pin_lanes = ?, pin_sha256 = ?, pin_events = ?, "
    "pin_others = 0, pin_bytes = ?, acked = ?, owed_events = ?, "
    "owed_bytes = ?, delivered_transactions = ?, delivered_events = ? "
    "WHERE no = ?"};
  statement save_idle{
    on_,
    "UPDATE appservice SET next_seq = ?, next_txn = ?, pin_id = NULL, "
    "pin_format = NULL, pin_lanes = NULL, pin_sha256 = NULL, "
    "pin_events = NULL, pin_others = NULL, pin_bytes = NULL, acked = ?, "
    "owed_events = ?, owed_bytes = ?, delivered_transactions = ?, "
    "delivered_events = ? WHERE no = ?"};
  statement last_arrival{on_,
                         "SELECT coalesce(max(arrival), 0) "
                         "FROM inbound_transaction WHERE appservice = ?"};
  statement seen{on_,
                 "SELECT arrival + count, hashes FROM seen_event "
                 "WHERE appservice = ? ORDER BY arrival"};
  statement remember{on_,
                     "INSERT INTO inbound_transaction VALUES "
                     "(?, ?, 0, ?, ?, ?, x'') ON CONFLICT DO NOTHING"};
  statement see{on_,
                "INSERT INTO seen_event (appservice, arrival, count, at, "
                "hashes) VALUES (?, ?, ?, ?, ?)"};
  statement append{on_,
                   "INSERT INTO outbox (place, came_with, "
                   "alone, lane, id_hash, accepted_at, keys, event_id, "
                   "bytes) VALUES (?, ?, 0, 0, ?, ?, '', ?, ?)"};
  statement owed{on_,
                 "SELECT bytes FROM outbox WHERE place > ? "
                 "ORDER BY place LIMIT ?"};
  statement remove{on_,
                   "DELETE FROM outbox WHERE place BETWEEN ? AND ? "
                   "AND lane = 0"};
  statement record{on_,
                   "INSERT INTO outcome (slot, pos, queue, subject, "
                   "result, detail, events, at, nth) VALUES "
                   "(1, ?, ?, ?, 'delivered', '', ?, ?, coalesce((SELECT "
                   "nth FROM outcome WHERE slot = 1 ORDER BY pos DESC "
                   "LIMIT 1), 0) + 1)"};
};

ledger::ledger(const std::string& path, const std::string& migrations)
  : on_{path} {
  statement count{on_, "SELECT count(*) FROM sqlite_schema"};
  count.begin();
  count.next();
  const bool is_new = count.number(0) == 0;
  count.end(); // A statement that reads would lock the tables.
  if (is_new)
    migrate(on_, migrations);
  run_number_ = wall_ms();
  run_ = std::to_string(run_number_);
  {
    const writing once{on_};
    on_.run("INSERT INTO slot VALUES (1, 'reference', 1, " + run_
            + ", 0, 0) ON CONFLICT DO UPDATE SET epoch = epoch + 1, run = "
            + run_);
  }
  statement at{on_, "SELECT pos FROM slot WHERE slot = 1"};
  at.begin();
  at.next();
  position_ = at.number(0);
  at.end();
  with_ = std::make_unique<statements>(on_);
}

ledger::~ledger() = default;

void ledger::begin() {
  now_ms_ = wall_ms();
  with_->fence.run(run_number_, position_++);
}

std::optional<outgoing> ledger::open(const std::string& id, queue_row& queue) {
  const std::lock_guard lock{mutex_};
  const writing once{on_};
  begin();
  auto& find = with_->find;
  find.begin(std::string_view{id});
  queue.id = id;
  if (find.next()) {
    queue.no = find.number(0);
    queue.next_seq = find.number(1);
    queue.next_txn = find.number(2);
    queue.pin_id = find.text(3);
    queue.pin_sha256 = find.text(4);
    queue.pin_events = find.number(5);
    queue.pin_bytes = find.number(6);
    queue.acked = find.number(7);
    queue.owed_bytes = find.number(8);
    queue.delivered_transactions = find.number(9);
    queue.delivered_events = find.number(10);
    find.end();
  } else {
    find.end();
    with_->make.run(std::string_view{id});
    queue.no = on_.last_row();
  }
  auto& last = with_->last_arrival;
  last.begin(queue.no);
  last.next();
  queue.arrivals = last.number(0);
  last.end();
  load_seen(queue);
  if (!queue.pin_id.empty())
    return outgoing{queue.pin_id, render(queue)};
  auto next = pin_next(queue);
  save(queue);
  return next;
}

std::optional<outgoing> ledger::accept(queue_row& queue,
                                       std::string_view hs_txn_id,
                                       std::span<const event_slice> events) {
  const auto hashes = packed(events);
  const std::lock_guard lock{mutex_};
  const writing once{on_};
  begin();
  if (with_->remember.run(queue.no, blob{hs_txn_id}, queue.arrivals + 1,
                          now_ms_, blob{hashes})
      == 0)
    return {};
  ++queue.arrivals;
  append(queue, events);
  auto next = pin_next(queue);
  save(queue);
  return next;
}

void ledger::load_seen(queue_row& queue) {
  auto& seen = with_->seen;
  seen.begin(queue.no);
  while (seen.next()) {
    queue.events_seen = seen.number(0);
    const auto hashes = seen.text(1);
    uint64_t hash = 0;
    for (size_t at = 0; at < hashes.size(); ++at) {
      hash = hash << 8 | static_cast<unsigned char>(hashes[at]);
      if (at % sizeof hash == sizeof hash - 1)
        queue.seen.insert(static_cast<int64_t>(hash));
    }
  }
  seen.end();
}

void ledger::append(queue_row& queue, std::span<const event_slice> events) {
  const auto came_with = queue.next_seq;
  std::string fresh;
  for (const auto& each : events) {
    if (!queue.seen.insert(each.hash))
      continue;
    pack(each.hash, fresh);
    with_->append.run(place_of(queue, queue.next_seq++), came_with, each.hash,
                      now_ms_, blob{each.event_id}, each.bytes);
    queue.owed_bytes += static_cast<int64_t>(each.bytes.size());
  }
  const auto count = queue.next_seq - came_with;
  if (count == 0)
    return;
  with_->see.run(queue.no, queue.events_seen, count, now_ms_, blob{fresh});
  queue.events_seen += count;
}

std::optional<outgoing> ledger::acknowledge(queue_row& queue) {
  const std::lock_guard lock{mutex_};
  const writing once{on_};
  begin();
  const auto last = queue.acked + queue.pin_events;
  with_->remove.run(place_of(queue, queue.acked + 1), place_of(queue, last));
  with_->record.run(position_, "appservice/" + queue.id, queue.pin_id,
                    queue.pin_events, now_ms_);
  queue.acked = last;
  queue.owed_bytes -= queue.pin_bytes;
  queue.delivered_transactions += 1;
  queue.delivered_events += queue.pin_events;
  queue.pin_id.clear();
  auto next = pin_next(queue);
  save(queue);
  return next;
}

std::optional<outgoing> ledger::pin_next(queue_row& queue) {
  const auto owed = queue.next_seq - 1 - queue.acked;
  if (!queue.pin_id.empty() || owed == 0)
    return {};
  queue.pin_id = run_ + "-" + std::to_string(queue.next_txn++);
  queue.pin_events = std::min(owed, events_max);
  auto body = render(queue);
  queue.pin_sha256 = sha256_hex(body);
  return outgoing{queue.pin_id, std::move(body)};
}

std::string ledger::render(queue_row& queue) {
  std::string body{R"({"events":[)"};
  queue.pin_bytes = 0;
  auto& owed = with_->owed;
  owed.begin(place_of(queue, queue.acked), queue.pin_events);
  while (owed.next()) {
    const auto bytes = owed.text(0);
    body.append(queue.pin_bytes == 0 ? "" : ",").append(bytes);
    queue.pin_bytes += static_cast<int64_t>(bytes.size());
  }
  owed.end();
  return body.append("]}");
}

void ledger::save(const queue_row& queue) {
  const auto owed = queue.next_seq - 1 - queue.acked;
  if (queue.pin_id.empty()) {
    with_->save_idle.run(queue.next_seq, queue.next_txn, queue.acked, owed,
                         queue.owed_bytes, queue.delivered_transactions,
                         queue.delivered_events, queue.no);
    return;
  }
  const auto lanes = "0:" + std::to_string(queue.acked + 1) + "-"
    + std::to_string(queue.acked + queue.pin_events);
  with_->save.run(
    queue.next_seq, queue.next_txn, queue.pin_id, lanes, queue.pin_sha256,
    queue.pin_events, queue.pin_bytes, queue.acked, owed, queue.owed_bytes,
    queue.delivered_transactions, queue.delivered_events, queue.no);
}

} // namespace bench
