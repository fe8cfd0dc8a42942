#include "schema/config.hpp"
#include "tests/fuzz/properties.hpp"

namespace weir::test {

std::string broken_configuration_property(std::string_view text) {
  // No folder of that name: what the text names is looked for and not found.
  const auto loaded = parse_config("/nowhere/weir.yaml", text);
  for (const auto& list : {loaded.problems, loaded.warnings})
    for (const auto& one : list)
      if (one.what.empty() || one.line < 0 || one.column < 0)
        return "a problem that says nothing";
  const auto again = parse_config("/nowhere/weir.yaml", text);
  if (again.problems != loaded.problems || again.warnings != loaded.warnings)
    return "the second reading finds other problems";
  if (!loaded.problems.empty())
    return "";
  if (loaded.settings.homeserver.name.empty())
    return "taken without the homeserver's name";
  for (const auto& [id, line] : loaded.override_lines)
    if (line < 1)
      return "an override that stands nowhere";
  return "";
}

} // namespace weir::test
