#include "http/routes/bulk_lines.hpp"

#include "schema/realm_limits.hpp"
#include "schema/realm_submission.hpp"

#include <algorithm>

namespace weir {

namespace {

/// A batch of the store holds two of these.
constexpr size_t commit_bytes_max = size_t{512} << 10;

std::string_view take_line(std::string_view& body) {
  const auto end = std::min(body.find('\n'), body.size());
  auto line = body.substr(0, end);
  body.remove_prefix(std::min(end + 1, body.size()));
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  return line;
}

error of_line(uint64_t number, const error& why) {
  return {why.code, "line " + std::to_string(number) + ": " + why.context};
}

} // namespace

realm_offer offer_of(realm_submission what, std::string event_id) {
  realm_offer made;
  made.key = std::move(what.key);
  made.event_id = std::move(event_id);
  made.type = std::move(what.type);
  made.importance = what.importance;
  made.rule = std::move(what.rule);
  made.content = std::move(what.content);
  made.rooms = std::move(what.rooms);
  made.expires_in = what.expires_in;
  made.split = std::move(what.split);
  return made;
}

expected<bulk_lines> read_bulk(std::string_view body,
                               const std::function<std::string()>& draw_id) {
  bulk_lines parted;
  uint64_t events = 0;
  for (uint64_t number = 1; !body.empty(); ++number) {
    const auto line = take_line(body);
    if (line.find_first_not_of(" \t") == std::string_view::npos)
      continue;
    if (++events > limits::bulk_lines_max)
      return fail(ec::too_large, "more than 1000 events");
    auto read = read_realm_submission(line, true);
    if (!read)
      return fail(of_line(number, read.error()));
    realm_id realm{std::move(read.value().realm)};
    parted[std::move(realm)].push_back(
      {number, offer_of(std::move(read.value()), draw_id())});
  }
  return parted;
}

size_t lines_of_commit(const std::vector<bulk_line>& lines, size_t first) {
  size_t count = 0;
  size_t bytes = 0;
  while (first + count < lines.size()
         && count < limits::realm_submit_events_max) {
    bytes += lines[first + count].offer.content.size();
    if (count > 0 && bytes > commit_bytes_max)
      break;
    ++count;
  }
  return count;
}

} // namespace weir
