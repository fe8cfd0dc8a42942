#include "actors/policy/write_batch.hpp"

#include "schema/error.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <utility>

namespace weir::policy {

namespace {

size_t rows_of(const waiting_write& operation) {
  return std::max<size_t>(operation.rows, 1);
}

} // namespace

/// The batch planned so far.
struct write_queue::draft {
  std::vector<arrival> taken;
  size_t rows = 0;
  size_t bytes = 0;

  bool takes(const waiting_write& operation) const {
    if (taken.empty())
      return true; // However large: then it goes alone.
    return rows + rows_of(operation) <= limits::batch_rows_max
      && bytes + operation.bytes <= limits::batch_bytes_max;
  }
};

void write_queue::push(waiting_write operation) {
  const auto number = next_arrival_++;
  auto& line = lines_[operation.key];
  line.push_back(number);
  const bool is_head = line.size() == 1;
  waiting_.emplace(number, std::move(operation));
  if (is_head)
    make_head(number);
}

std::vector<uint64_t> write_queue::take_batch() {
  draft batch;
  const auto& first = others_first_ ? other_heads_ : acknowledge_heads_;
  const auto& second = others_first_ ? acknowledge_heads_ : other_heads_;
  fill(batch, first, waiting_);
  fill(batch, second, waiting_);
  others_first_ = !other_heads_.empty()
    && std::none_of(
      batch.taken.begin(), batch.taken.end(),
      [this](arrival each) { return other_heads_.contains(each); });
  std::sort(batch.taken.begin(), batch.taken.end(),
            [this](arrival a, arrival b) {
              return waiting_.at(a).key < waiting_.at(b).key;
            });
  std::vector<uint64_t> tickets;
  tickets.reserve(batch.taken.size());
  for (const auto number : batch.taken) {
    tickets.push_back(waiting_.at(number).ticket);
    remove(number);
  }
  return tickets;
}

std::vector<uint64_t> write_queue::take_expired(instant now) {
  std::vector<arrival> expired;
  for (const auto& [number, operation] : waiting_)
    if (operation.deadline <= now)
      expired.push_back(number);
  std::vector<uint64_t> tickets;
  tickets.reserve(expired.size());
  for (const auto number : expired) {
    tickets.push_back(waiting_.at(number).ticket);
    remove(number);
  }
  return tickets;
}

bool write_queue::full_batch_waiting() const noexcept {
  return head_rows_ >= limits::batch_rows_max
    || head_bytes_ >= limits::batch_bytes_max;
}

void write_queue::fill(draft& batch, const std::set<arrival>& candidates,
                       const std::map<arrival, waiting_write>& waiting) {
  for (const auto number : candidates) {
    const auto& operation = waiting.at(number);
    if (!batch.takes(operation))
      return;
    batch.taken.push_back(number);
    batch.rows += rows_of(operation);
    batch.bytes += operation.bytes;
  }
}

void write_queue::make_head(arrival number) {
  const auto& operation = waiting_.at(number);
  auto& heads = operation.priority == write_priority::acknowledge
    ? acknowledge_heads_
    : other_heads_;
  heads.insert(number);
  head_rows_ += rows_of(operation);
  head_bytes_ += operation.bytes;
}

void write_queue::remove(arrival number) {
  const auto operation = std::move(waiting_.extract(number).mapped());
  const auto line = lines_.find(operation.key);
  WEIR_ASSERT(line != lines_.end());
  auto& numbers = line->second;
  if (numbers.front() != number) {
    numbers.erase(std::find(numbers.begin(), numbers.end(), number));
    return;
  }
  acknowledge_heads_.erase(number);
  other_heads_.erase(number);
  head_rows_ -= rows_of(operation);
  head_bytes_ -= operation.bytes;
  numbers.pop_front();
  if (numbers.empty())
    lines_.erase(line);
  else
    make_head(numbers.front());
}

} // namespace weir::policy
