#include "tests/bench/events.hpp"

#include <poll.h>

#include <charconv>
#include <chrono>
#include <ctime>

namespace bench {

namespace {

/// Before the number of an event, in load and at the sink.
constexpr std::string_view mark = R"("event_id":"$bench-)";
constexpr size_t digits = 16;

void write_number(char* to, uint64_t number) {
  for (size_t at = digits; at-- > 0; number /= 10)
    to[at] = static_cast<char>('0' + number % 10);
}

std::string event_of(size_t bytes) {
  std::string text{R"({"type":"m.room.message",)"};
  text.append(mark).append(digits, '0').append(R"(","room_id":"!r:bench",)");
  text.append(R"("sender":"@alice:bench","origin_server_ts":1700000000000,)");
  text.append(R"("content":{"msgtype":"m.text","body":")");
  constexpr std::string_view end = R"("}})";
  if (text.size() + end.size() < bytes)
    text.append(bytes - text.size() - end.size(), 'x');
  return text.append(end);
}

} // namespace

void wait_until(int64_t when_ns) {
  constexpr int64_t ns_per_second = 1'000'000'000;
  for (auto left = when_ns - now_ns(); left > 0; left = when_ns - now_ns()) {
    const timespec pause{left / ns_per_second, left % ns_per_second};
    ::ppoll(nullptr, 0, &pause, nullptr);
  }
}

int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch()
    / std::chrono::nanoseconds{1};
}

numbered_transaction::numbered_transaction(size_t events, size_t event_bytes)
  : body_{R"({"events":[)"},
    events_{events} {
  const auto event = event_of(event_bytes);
  first_at_ = body_.size() + event.find(mark) + mark.size();
  stride_ = event.size() + 1;
  for (size_t at = 0; at < events; ++at)
    body_.append(at == 0 ? "" : ",").append(event);
  body_.append("]}");
}

std::string_view numbered_transaction::number_from(uint64_t first) {
  for (size_t at = 0; at < events_; ++at)
    write_number(body_.data() + first_at_ + at * stride_, first + at);
  return body_;
}

numbers_seen numbers_in(std::string_view body) {
  numbers_seen seen;
  for (auto at = body.find(mark); at != std::string_view::npos;
       at = body.find(mark, at + mark.size() + digits)) {
    uint64_t number = 0;
    const auto* from = body.data() + at + mark.size();
    std::from_chars(from, from + digits, number);
    if (seen.count == 0)
      seen.first = number;
    seen.in_order = seen.in_order && number == seen.first + seen.count;
    ++seen.count;
  }
  return seen;
}

} // namespace bench
