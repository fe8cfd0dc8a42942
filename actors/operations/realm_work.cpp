#include "actors/operations/realm_work.hpp"

#include "actors/operations/realm_settle.hpp"
#include "actors/operations/realm_upkeep.hpp"

#include <utility>

namespace weir::operations {

namespace {

/// What holds now, and all that left on the way.
void add_news(realm_news& sum, const realm_news& next) {
  auto left = std::move(sum.left);
  left.insert(left.end(), next.left.begin(), next.left.end());
  sum = next;
  sum.left = std::move(left);
}

} // namespace

uint64_t feed_rows_of(const work_realm& request) {
  uint64_t rows = 0;
  for (const auto& each : request.settles)
    rows += feed_rows_of(each);
  for (const auto& each : request.begins)
    rows += feed_rows_of(each);
  return rows;
}

expected<realm_worked> work(store& db, batch_context& batch,
                            const work_realm& request) {
  realm_worked reply;
  for (const auto& each : request.settles) {
    WEIR_TRY(auto settled, settle_send(db, batch, each));
    add_news(reply.news, settled.news);
    reply.settles.push_back(std::move(settled));
  }
  for (const auto& each : request.tries) {
    WEIR_TRY(note_try(db, batch, each));
  }
  for (const auto& each : request.begins) {
    WEIR_TRY(auto begun, begin_send(db, batch, each));
    add_news(reply.news, begun.news);
    reply.begins.push_back(std::move(begun));
  }
  return reply;
}

} // namespace weir::operations
