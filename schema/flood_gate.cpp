#include "schema/flood_gate.hpp"

#include <utility>

namespace weir {

std::string repetition_key(std::string_view component, std::string_view line) {
  auto end = line.find('=');
  end = end == std::string_view::npos ? line.size() : line.find(' ', end);
  return std::string{component}.append(":").append(line.substr(0, end));
}

int64_t flood_gate::pass(const std::string& key, time_point now) {
  if (lines_.size() >= remembered_lines_max)
    lines_.clear();
  auto [line, is_new] = lines_.try_emplace(key, entry{now, 0});
  if (is_new)
    return 0;
  if (now - line->second.printed < quiet_time) {
    ++line->second.held_back;
    return -1;
  }
  line->second.printed = now;
  return std::exchange(line->second.held_back, 0);
}

} // namespace weir
