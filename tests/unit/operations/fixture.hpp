#pragma once

#include "actors/messages/store.hpp"
#include "actors/operations/accept.hpp"
#include "actors/operations/housekeeping.hpp"
#include "actors/operations/letters.hpp"
#include "actors/operations/settle.hpp"
#include "schema/submission.hpp"
#include "schema/transaction.hpp"
#include "tests/conformance/stores.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Operations run as the store writer runs them: one batch, one commit.
namespace weir::test {

using namespace std::chrono_literals;

/// An event as a homeserver sends it. `filler` makes it as long as one likes.
inline std::string event_json(const std::string& id, size_t filler = 0) {
  return R"({"type":"m.x","event_id":")" + id + R"(","f":")"
    + std::string(filler, 'f') + R"("})";
}

/// A transaction body of events alone.
inline std::string events_json(const std::vector<std::string>& ids,
                               size_t filler = 0) {
  std::string body = R"({"events":[)";
  for (const auto& id : ids)
    body += (body.back() == '[' ? "" : ",") + event_json(id, filler);
  return body + "]}";
}

/// `$first` to `$last`.
inline std::vector<std::string> ids_between(uint64_t first, uint64_t last) {
  std::vector<std::string> ids;
  for (auto each = first; each <= last; ++each)
    ids.push_back("$" + std::to_string(each));
  return ids;
}

/// The ids of the events in a rendered body, in order.
inline std::vector<std::string> ids_in(std::string_view body) {
  constexpr std::string_view before = R"("event_id":")";
  std::vector<std::string> ids;
  for (auto at = body.find(before); at != std::string_view::npos;
       at = body.find(before, at)) {
    at += before.size();
    ids.emplace_back(body.substr(at, body.find('"', at) - at));
  }
  return ids;
}

/// What a test says of an accept that is not the usual one.
struct offered {
  std::string hs_txn_id;
  std::string body;
  std::string to = "a";
  transaction_bounds bounds = {};
  bool dedupe_events = true;
  uint64_t queue_elements_max = UINT64_MAX;
  uint64_t queue_bytes_max = UINT64_MAX;
};

inline accept_transaction accept_of(const offered& what) {
  accept_transaction request;
  request.appservice = {what.to};
  request.hs_txn_id = what.hs_txn_id;
  request.content = shared{must(slice_transaction(what.body))};
  request.bounds = what.bounds;
  request.dedupe_events = what.dedupe_events;
  if (what.queue_elements_max != UINT64_MAX)
    request.bounds.queue.elements_max = what.queue_elements_max;
  if (what.queue_bytes_max != UINT64_MAX)
    request.bounds.queue.bytes_max = what.queue_bytes_max;
  return request;
}

/// A request of the second door: `$n` for each of its orderings.
inline accept_transaction submit_of(const std::vector<uint64_t>& orderings,
                                    const std::string& to = "a") {
  std::string body = R"({"events":[)";
  for (const auto each : orderings)
    body += (body.back() == '[' ? R"({"stream_ordering":)"
                                : R"(,{"stream_ordering":)")
      + std::to_string(each) + R"(,"event":)"
      + event_json("$" + std::to_string(each)) + "}";
  accept_transaction request;
  request.appservice = {to};
  request.content = shared{must(slice_submission(body + "]}"))};
  return request;
}

/// One store with a writer, which can be closed and opened again.
template <class Where>
struct house {
  Where where;
  std::unique_ptr<store> db;
  std::optional<batch_runner> runner;
  uint64_t opened = 0;
  uint64_t feed_rows = 1; ///< Of one operation, at most.

  house() {
    open();
  }
  void close() {
    runner.reset();
    db.reset();
  }
  /// As at a start: a new run.
  void open() {
    close();
    db = where.connect();
    runner.emplace(*db, must(db->take_slot(1, "node", first_run + opened++)));
  }

  /// Runs one operation in a batch of its own.
  template <class Operation, class Request>
  auto ask(Operation operation, const Request& request) {
    using result_type
      = decltype(operation(*db, std::declval<batch_context&>(), request));
    std::optional<result_type> result;
    std::vector<expected<void>> told;
    batch_operation one{
      "appservice", feed_rows,
      [&](store& on, batch_context& batch) -> expected<void> {
        result.emplace(operation(on, batch, request));
        if (!*result)
          return fail(result->error());
        return ok();
      },
      [&](const expected<void>& how) { told.push_back(how); }};
    static_cast<void>(runner->run({&one, 1}));
    REQUIRE(told.size() == 1);
    if (!told.front())
      result.emplace(fail(told.front().error()));
    return std::move(*result);
  }

  transaction_stored accept(const offered& what) {
    return must(ask(operations::accept, accept_of(what)));
  }
  transaction_stored submit(const std::vector<uint64_t>& orderings) {
    return must(ask(operations::submit, submit_of(orderings)));
  }
  /// A transaction that names its events and nothing else.
  transaction_stored accept_events(const std::string& hs_txn_id,
                                   const std::vector<std::string>& ids) {
    return accept({hs_txn_id, events_json(ids)});
  }
  transaction_settled settle(const settle_transaction& request) {
    return must(ask(operations::settle, request));
  }
  transaction_settled settle(const txn_id& id,
                             settlement how = settlement::delivered,
                             const std::string& to = "a") {
    settle_transaction request;
    request.appservice = {to};
    request.id = id;
    request.how = how;
    request.reason = how == settlement::delivered ? "" : "http_400";
    request.attempts = 3;
    return settle(request);
  }
  queue_loaded load(const std::string& to = "a",
                    const transaction_bounds& bounds = {}) {
    load_queue request;
    request.appservice = {to};
    request.bounds = bounds;
    return must(ask(operations::load, request));
  }
  void rest(milliseconds rest, pause_cause cause) {
    store_pause request;
    request.appservice = {"a"};
    request.rest = rest;
    request.cause = cause;
    must(ask(operations::pause, request));
  }

  /// Changes the row of a queue as no operation does.
  void change_queue(const std::function<void(queue_row&)>& change) {
    must(ask(
      [](store& on, batch_context&, const auto& how) -> expected<stored> {
        auto row = must(on.outbox().lock_queue({"a"})).value();
        how(row);
        must(on.outbox().save_queue(row));
        return stored{};
      },
      change));
  }

  std::optional<queue_row> row_of(const std::string& id = "a") {
    return must(
      ask([](store& on, batch_context&,
             const appservice_id& of) { return on.outbox().lock_queue(of); },
          appservice_id{id}));
  }
  /// All that is owed, pinned or not.
  std::vector<owed_row> owed(const std::string& id = "a") {
    const auto row = row_of(id);
    if (!row)
      return {};
    return must(ask(
      [](store& on, batch_context&, const queue_no& no) {
        return on.outbox().read_owed(no, 0, 100'000, size_t{1} << 30);
      },
      row->no));
  }
  /// What waits in the ephemeral lane.
  std::vector<waiting_row> waiting(const std::string& id = "a") {
    const auto row = row_of(id);
    if (!row)
      return {};
    return must(
      ask([](store& on, batch_context&,
             const queue_no& no) { return on.waiting().oldest(no, 100'000); },
          row->no));
  }
  std::vector<dead_letter_row> letters() {
    auto reader = where.connect_reader();
    auto rows = must(reader->dead_letters({}, {}));
    for (auto& row : rows)
      row = must(reader->dead_letter(row.id)).value();
    return rows;
  }
};

/// Nothing is owed, and the counters know it.
inline void check_empty(const queue_row& row) {
  CHECK(row.owed_events == 0);
  CHECK(row.owed_others == 0);
  CHECK(row.owed_bytes == 0);
  CHECK(row.waiting == 0);
  CHECK(row.waiting_bytes == 0);
  CHECK(!row.pinned);
  CHECK(row.suspect_first == 0);
  CHECK(row.suspect_last == 0);
}

} // namespace weir::test
