#pragma once

#include "tests/sim/ledger.hpp"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include <string>
#include <vector>

// Each checker is shown a run that is right, and the same with one thing wrong.
namespace weir::sim {

inline std::string bytes_of_event(uint64_t no) {
  return fmt::format(R"({{"event_id":"$e{}",{}}})", no, written_number(no));
}

inline offered_element event(uint64_t no) {
  element item;
  item.bytes = bytes_of_event(no);
  return {no, item};
}

inline std::string body_with(const std::vector<uint64_t>& numbers) {
  std::string items;
  for (const auto no : numbers)
    items += (items.empty() ? "" : ",") + bytes_of_event(no);
  return R"({"events":[)" + items + "]}";
}

/// A ledger of one bridge, told of things in few words.
struct told {
  ledger book{std::vector<bridge_rules>(1)};
  milliseconds now{1'000};

  uint64_t offer(const std::vector<uint64_t>& numbers) {
    std::vector<offered_element> elements;
    for (const auto no : numbers)
      elements.push_back(event(no));
    return book.offer(0, elements, now);
  }
  void store(const std::vector<uint64_t>& numbers) {
    book.answered(offer(numbers), true, now);
  }
  void send(const std::string& id, const std::vector<uint64_t>& numbers) {
    book.sent(0, id, body_with(numbers), now);
  }
  void close(const std::string& id, ending how, int64_t wish_ms = 0) {
    if (how == ending::accepted)
      book.processed(0, id);
    book.closed(0, id, how, milliseconds{wish_ms}, now);
  }
  void deliver(const std::string& id, const std::vector<uint64_t>& numbers) {
    send(id, numbers);
    close(id, ending::accepted);
    book.ended(0, id, "delivered");
  }
  /// Refuses `times` times, each after the pause of the one before.
  void refuse(const std::string& id, int times) {
    for (int64_t pause_ms = 1'000; times > 0; --times, pause_ms *= 2) {
      send(id, {1});
      close(id, ending::refused);
      if (times > 1)
        wait(pause_ms);
    }
  }
  void wait(int64_t ms) {
    now += milliseconds{ms};
  }
  /// The rule that was broken; empty when none was.
  std::string rule() {
    book.check_progress(now);
    return book.found() ? book.found()->rule : "";
  }
  std::string rule_at_end() {
    book.check_end();
    return rule();
  }
};

} // namespace weir::sim
