#include "schema/log.hpp"
#include "tests/sim/campaign.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace {

using namespace weir::sim;

constexpr const char* usage
  = "usage: tests/sim/run [--seeds N] [--seed FIRST] [--minutes M] [--shrink]\n"
    "                     [--store sqlite|memory] [--only LINE,LINE,…] "
    "[--tell]\n"
    "                     [--coverage] [--commit REVISION]\n";

kept_lines lines_in(std::string_view text) {
  kept_lines result;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    result.push_back(std::stoul(std::string{text.substr(0, comma)}));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return result;
}

/// Nothing when the arguments cannot be understood.
std::optional<campaign_options> understood(int count, char** arguments) {
  campaign_options result;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    if (name == "--shrink")
      result.shrinks = true;
    else if (name == "--tell")
      result.how.tell = true;
    else if (name == "--coverage")
      result.needs_coverage = true;
    else if (i + 1 == count)
      return {}; // NOLINT(bugprone-branch-clone): in that order.
    else if (const std::string value = arguments[++i]; name == "--seeds")
      result.seeds = std::stoull(value);
    else if (name == "--seed")
      result.first_seed = std::stoull(value);
    else if (name == "--minutes")
      result.minutes = std::stod(value);
    else if (name == "--only")
      result.only = lines_in(value);
    else if (name == "--commit")
      result.commit = value;
    else if (name == "--store" && (value == "sqlite" || value == "memory"))
      result.how.store
        = value == "memory" ? store_kind::memory : store_kind::sqlite;
    else
      return {};
  }
  return result;
}

} // namespace

int main(int count, char** arguments) {
  const auto options = understood(count, arguments);
  if (!options) {
    std::fputs(usage, stderr);
    return 2;
  }
  if (options->how.tell)
    weir::start_logging(weir::log_level::warn);
  return run_campaign(*options) ? 0 : 1;
}
