#include "http/start_checks.hpp"

#include "schema/log.hpp"

#include <fmt/format.h>

#include <thread>

namespace weir {

namespace {

const logger log_{"start"};

/// Foreign slots, or those of them that moved since `before`.
std::vector<slot_row> foreign(const std::vector<slot_row>& all,
                              const std::string& node) {
  std::vector<slot_row> result;
  for (const auto& row : all)
    if (!row.owner.empty() && row.owner != node)
      result.push_back(row);
  return result;
}

} // namespace

expected<store_identity> prepare_store(const store_options& options) {
  WEIR_TRY(auto opened, open_store(options, true));
  opened.reset();
  WEIR_TRY(auto reader, open_store_reader(options));
  return reader->identity();
}

expected<void> refuse_second_process(const store_options& options,
                                     const std::string& node,
                                     std::chrono::milliseconds watch) {
  WEIR_TRY(auto database, open_store(options, false));
  WEIR_TRY(auto all, database->slots());
  const auto before = foreign(all, node);
  if (before.empty())
    return ok();
  log_.warn("another node's slot is in the database owner={} action=watched "
            "for_ms={} before it is taken over",
            before.front().owner, watch.count());
  // The only wait at a start, and only after a foreign node.
  std::this_thread::sleep_for(watch);
  WEIR_TRY(auto again, database->slots());
  if (foreign(again, node) != before)
    return fail(ec::busy,
                fmt::format("node {} uses this database and is alive; several "
                            "nodes are not supported yet",
                            before.front().owner));
  return ok();
}

} // namespace weir
