#pragma once

#include "actors/commit_stops.hpp"
#include "actors/store_writer.hpp"
#include "actors/trace/traced_store.hpp"

#include <memory>
#include <optional>
#include <utility>

/// How the store writer's units put a request into a batch. Nobody else's.
namespace weir {

/// Answers at most once: a writer that dies in the middle of a batch answers
/// what the batch had not answered yet.
template <class Reply>
auto answer_once(caf::typed_response_promise<Reply> promise,
                 std::shared_ptr<std::optional<Reply>> result) {
  return [promise, result](const expected<void>& outcome) mutable {
    if (!promise.pending())
      return;
    if (outcome)
      promise.deliver(std::move(**result));
    else
      promise.deliver(to_caf(outcome.error()));
  };
}

template <class Reply, class Request, class Operation>
caf::result<Reply> store_writer_state::submit(const Request& request,
                                              const shape& in_batch,
                                              Operation operation) {
  auto promise
    = self_
        ->template make_response_promise<caf::typed_response_promise<Reply>>();
  auto result = std::make_shared<std::optional<Reply>>();
  auto answer = answer_once<Reply>(promise, result);
  batch_operation in_writer;
  in_writer.key = in_batch.key;
  in_writer.feed_rows = in_batch.feed_rows;
  in_writer.run = [request, operation,
                   result](store& db, batch_context& batch) -> expected<void> {
    auto done = trace::drawn_result<Reply>(
      [&] { return operation(db, batch, request); });
    if (!done)
      return fail(done.error());
    *result = std::move(done.value());
    return ok();
  };
  in_writer.settle = [this, answer, result, rows = in_batch.rows](
                       const expected<void>& outcome) mutable {
    if (outcome) {
      process_store_probe().rows += rows;
      rows_committed_ += rows;
      stop_after_commit(**result);
    }
    answer(outcome);
  };
  enqueue(std::move(in_writer), in_batch, request.deadline);
  return promise;
}

} // namespace weir
