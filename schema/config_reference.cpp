#include "schema/config_options.hpp"

#include <fmt/core.h>

namespace weir {

namespace {

template <class Target>
void write_table(std::string& out, const option_table<Target>& table,
                 const Target& defaults) {
  out += "| key | type | default | bounds | meaning |\n"
         "|---|---|---|---|---|\n";
  for (const auto& option : table) {
    const auto shown = option.show(defaults);
    out
      += fmt::format("| `{}` | {} | {} | {} | {} |\n", option.key, option.type,
                     shown.empty() ? "none" : fmt::format("`{}`", shown),
                     option.bounds, option.what);
  }
}

} // namespace

std::string config_reference() {
  std::string out = "### Top level\n\n";
  write_table(out, config_options(), config{});
  out += "\n### One appservice\n\n"
         "Each key stands under `appservices.defaults` or under "
         "`appservices.overrides.{id}`.\n\n";
  write_table(out, appservice_option_table(), appservice_options{});
  out += "\n### One producer\n\nEach key stands in an item of `producers`.\n\n";
  write_table(out, producer_option_table(), producer_options{});
  return out;
}

} // namespace weir
