#include "actors/trace/reader.hpp"
#include "actors/trace/show.hpp"
#include "tests/fuzz/properties.hpp"

#include <sstream>

namespace weir::test {

std::string broken_trace_property(std::string_view text) {
  std::istringstream from{std::string{text}};
  const auto loaded = trace::load(from);
  if (!loaded)
    return loaded.error().context.empty() ? "refused without a reason" : "";
  for (const auto& one : loaded.value().records)
    if (trace::show_record(one, 0).empty())
      return "a record of which nothing is shown";
  std::istringstream written{trace::to_text(loaded.value())};
  const auto again = trace::load(written);
  if (!again || again.value().heading != loaded.value().heading
      || again.value().records.size() != loaded.value().records.size())
    return "what was written is read as something else";
  for (size_t at = 0; at < again.value().records.size(); ++at)
    if (again.value().records[at].body != loaded.value().records[at].body)
      return "a record that was written is another one";
  return "";
}

} // namespace weir::test
