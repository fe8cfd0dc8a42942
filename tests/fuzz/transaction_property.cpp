#include "tests/fuzz/properties.hpp"

#include "schema/json_check.hpp"
#include "schema/transaction.hpp"

#include <vector>

namespace weir::test {

std::string broken_transaction_property(std::string_view body) {
  const auto checked = check_json(body);
  const auto sliced = slice_transaction(body);
  if (!checked)
    return !sliced && sliced.error() == checked.error() ? "" : "other refusal";
  if (!sliced)
    return sliced.error().code == ec::bad_json ? "" : "JSON called no JSON";
  std::vector<rendered_item> items;
  for (const auto& one : sliced.value().elements) {
    if (!check_json(one.bytes))
      return "an element is no JSON";
    if (body.find(one.bytes) == std::string_view::npos)
      return "an element's bytes are not the sender's";
    items.push_back({one.kind, one.keys, one.bytes});
  }
  const auto rendered = render_transaction(transaction_format, items);
  if (!rendered)
    return "the elements do not render";
  const auto again = slice_transaction(rendered.value());
  if (!again || again.value().elements != sliced.value().elements
      || again.value().event_hashes != sliced.value().event_hashes)
    return "the rendered body slices differently";
  return "";
}

} // namespace weir::test
