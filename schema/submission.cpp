#include "schema/submission.hpp"

#include "schema/event_slice.hpp"
#include "schema/json_check.hpp"
#include "schema/json_string.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <unordered_set>

namespace weir {

namespace {

/// What is wrong with the raw value of an ordering; null when it is one.
const char* read_ordering(std::string_view raw, uint64_t& ordering) {
  const bool digits = !raw.empty()
    && std::all_of(raw.begin() + (raw.front() == '-' ? 1 : 0), raw.end(),
                   [](char c) { return c >= '0' && c <= '9'; });
  if (!digits)
    return "stream_ordering is no integer";
  if (raw.front() == '-')
    return "stream_ordering is negative";
  const auto [end, failed]
    = std::from_chars(raw.data(), raw.data() + raw.size(), ordering);
  if (failed != std::errc{} || ordering > uint64_t{INT64_MAX})
    return "stream_ordering is beyond 2^63 - 1";
  return nullptr;
}

/// Reads one body; used once.
class slicer {
public:
  explicit slicer(std::string_view body) : body_{body}, cursor_{body} {
  }

  expected<incoming_transaction> slice() {
    if (!pass_body() || !cursor_.finish())
      return fail(cursor_.failure());
    if (!has_events_)
      complain("events is missing");
    if (!wrong_.empty())
      return fail(ec::bad_json, wrong_);
    if (items_ > limits::submission_events_max)
      return fail(ec::too_large,
                  fmt::format("{} events, at most {} go into one request",
                              items_, limits::submission_events_max));
    return std::move(sliced_);
  }

private:
  struct item {
    std::optional<std::string_view> ordering; ///< Raw.
    std::optional<std::string_view> event;    ///< Raw.
    bool event_is_object = false;
    std::string event_id;
  };

  /// What is found first is told.
  void complain(std::string what) {
    if (wrong_.empty())
      wrong_ = std::move(what);
  }
  void complain_of_item(std::string_view what) {
    complain(fmt::format("events[{}]: {}", items_, what));
  }

  bool skip() {
    std::string_view raw;
    return cursor_.value(raw);
  }

  bool pass_body() {
    if (cursor_.peek() == '{')
      return cursor_.members([this](std::string_view raw_key) {
        return unescape_json(raw_key) == "events" ? pass_events() : skip();
      });
    complain("the body is not an object");
    return skip();
  }

  bool pass_events() {
    if (std::exchange(has_events_, true))
      complain("events is there twice");
    if (cursor_.peek() != '[') {
      complain("events is not a list");
      return skip();
    }
    return cursor_.items([this] {
      const bool passed = pass_item();
      ++items_;
      return passed;
    });
  }

  bool pass_item() {
    if (cursor_.peek() != '{') {
      complain_of_item("not an object");
      return skip();
    }
    item found;
    const bool passed = cursor_.members([&](std::string_view raw_key) {
      const auto key = unescape_json(raw_key);
      if (key == "stream_ordering")
        return pass_ordering(found);
      return key == "event" ? pass_event_of(found) : skip();
    });
    // What is too much is looked at, but not kept.
    if (passed && items_ < limits::submission_events_max)
      take(std::move(found));
    return passed;
  }

  bool pass_ordering(item& of) {
    if (of.ordering)
      complain_of_item("stream_ordering is there twice");
    std::string_view raw;
    const bool passed = cursor_.value(raw);
    of.ordering = raw;
    return passed;
  }

  bool pass_event_of(item& of) {
    if (of.event)
      complain_of_item("event is there twice");
    of.event_is_object = cursor_.peek() == '{';
    const auto first = cursor_.offset();
    if (!(of.event_is_object ? pass_event(cursor_, of.event_id) : skip()))
      return false;
    of.event = body_.substr(first, cursor_.offset() - first);
    return true;
  }

  void take(item found) {
    if (!found.ordering)
      return complain_of_item("stream_ordering is missing");
    uint64_t ordering = 0;
    if (const char* const wrong = read_ordering(*found.ordering, ordering))
      return complain_of_item(wrong);
    if (!found.event)
      return complain_of_item("event is missing");
    if (!found.event_is_object)
      return complain_of_item("event is not an object");
    if (!known_.insert(ordering).second) {
      ++sliced_.repeated;
      return;
    }
    sliced_.elements.push_back(
      make_element(lane::event, {}, *found.event, std::move(found.event_id)));
    sliced_.orderings.push_back(ordering);
  }

  std::string_view body_;
  json_cursor cursor_;
  std::string wrong_;
  bool has_events_ = false;
  size_t items_ = 0;
  std::unordered_set<uint64_t> known_;
  incoming_transaction sliced_;
};

} // namespace

expected<incoming_transaction> slice_submission(std::string_view body) {
  return slicer{body}.slice();
}

} // namespace weir
