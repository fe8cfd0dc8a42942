#include "tests/fuzz/properties.hpp"

#include "schema/json_check.hpp"
#include "schema/limits.hpp"
#include "schema/submission.hpp"

#include <fmt/format.h>

#include <set>

namespace weir::test {

std::string broken_submission_property(std::string_view body) {
  const auto checked = check_json(body);
  const auto sliced = slice_submission(body);
  if (!checked)
    return !sliced && sliced.error() == checked.error() ? "" : "other refusal";
  if (!sliced) {
    const auto code = sliced.error().code;
    return code == ec::bad_json || code == ec::too_large
      ? ""
      : "JSON called no JSON";
  }
  const auto& content = sliced.value();
  if (content.elements.size() != content.orderings.size()
      || content.elements.size() > limits::submission_events_max)
    return "events and orderings do not pair";
  const std::set<uint64_t> distinct{content.orderings.begin(),
                                    content.orderings.end()};
  if (distinct.size() != content.orderings.size())
    return "an ordering is there twice";
  std::string again = R"({"events":[)";
  for (size_t i = 0; i < content.elements.size(); ++i) {
    const auto& one = content.elements[i];
    if (one.kind != lane::event || content.orderings[i] > uint64_t{INT64_MAX})
      return "an event or its ordering is none";
    if (one.bytes.empty() || one.bytes.front() != '{' || !check_json(one.bytes))
      return "an event is no object";
    if (body.find(one.bytes) == std::string_view::npos)
      return "an event's bytes are not the sender's";
    again += fmt::format(R"({}{{"event":{},"stream_ordering":{}}})",
                         i == 0 ? "" : ",", std::string_view{one.bytes},
                         content.orderings[i]);
  }
  const auto twice = slice_submission(again + "]}");
  if (!twice || twice.value().elements != content.elements
      || twice.value().orderings != content.orderings)
    return "the same written again slices differently";
  return "";
}

} // namespace weir::test
