#include "schema/flood_gate.hpp"

namespace weir {

std::string repetition_key(std::string_view component, std::string_view line) {
  auto end = line.find('=');
  end = end == std::string_view::npos ? line.size() : line.find(' ', end);
  return std::string{component}.append(":").append(line.substr(0, end));
}

flood_gate::passage flood_gate::pass(const std::string& key, time_point now) {
  if (lines_.size() >= remembered_lines_max)
    lines_.clear();
  auto [line, is_new] = lines_.try_emplace(key, entry{now});
  auto& known = line->second;
  if (is_new)
    return {};
  if (now - known.printed < quiet_time) {
    if (known.held_back++ == 0)
      known.since = now;
    return {false};
  }
  const passage told{true, known.held_back, known.since};
  known = entry{now};
  return told;
}

} // namespace weir
