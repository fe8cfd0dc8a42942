#include "http/cli/answer_fields.hpp"

#include "http/cli/text_table.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <utility>

#include <ctime>

namespace weir {

using nlohmann::json;

std::string text_at(const json& object, const char* key, size_t columns_max) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null())
    return {};
  return printable(found->is_string() ? found->get<std::string>()
                                      : found->dump(),
                   columns_max);
}

int64_t number_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<int64_t>()
                                                     : 0;
}

json list_at(const json& answer, const char* key) {
  json objects = json::array();
  const auto found = answer.find(key);
  if (found != answer.end() && found->is_array())
    for (const auto& item : *found)
      if (item.is_object())
        objects.push_back(item);
  return objects;
}

std::string or_dash(std::string text) {
  return text.empty() ? "-" : std::move(text);
}

std::string show_moment(int64_t at_ms) {
  const auto seconds = static_cast<std::time_t>(at_ms / 1'000);
  return at_ms > 0
    ? fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(seconds))
    : "-";
}

std::string shown_state(const json& queue) {
  const auto denies = [&](const char* key) {
    const auto found = queue.find(key);
    return found != queue.end() && *found == false;
  };
  if (denies("configured"))
    return "removed";
  if (denies("has_url"))
    return "no url";
  const auto state = text_at(queue, "state");
  // One send that is under way for long: what flows may stand all the same.
  if (state == "flowing" && number_at(queue, "sending_since_ms") > 0)
    return "sending";
  return or_dash(state);
}

int64_t shown_for(const json& queue, int64_t as_of_ms) {
  const auto state = shown_state(queue);
  const auto* key = state == "removed" ? "removed_at_ms"
    : state == "sending"               ? "sending_since_ms"
                                       : "since_ms";
  const auto since = state == "no url" ? 0 : number_at(queue, key);
  return since > 0 ? as_of_ms - since : 0;
}

} // namespace weir
