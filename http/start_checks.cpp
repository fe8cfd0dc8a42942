#include "http/start_checks.hpp"

#include "persistence/slots.hpp"
#include "schema/config_files.hpp"
#include "schema/log.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <filesystem>
#include <thread>

namespace weir {

namespace {

const logger log_{"start"};

/// Enough to tell the nodes of one database apart.
constexpr size_t node_name_length = 16;

/// Slots of other nodes.
std::vector<slot_row> foreign(const std::vector<slot_row>& all,
                              const std::string& node) {
  std::vector<slot_row> result;
  for (const auto& row : all)
    if (!row.owner.empty() && row.owner != node)
      result.push_back(row);
  return result;
}

} // namespace

void sleep_through(std::chrono::milliseconds time) {
  std::this_thread::sleep_for(time);
}

expected<void> make_data_dir(const std::string& data_dir) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (fs::is_directory(data_dir, failed))
    return ok();
  fs::create_directories(data_dir, failed);
  if (!failed)
    fs::permissions(data_dir, fs::perms::owner_all, failed);
  if (failed)
    return fail(ec::unavailable, data_dir + ": " + failed.message());
  return ok();
}

expected<std::string> node_name(const std::string& data_dir) {
  WEIR_TRY(auto drawn, ensure_token_file(data_dir + "/node_id"));
  return drawn.substr(0, node_name_length);
}

uint64_t raise_open_files_max() {
  rlimit bound{};
  if (::getrlimit(RLIMIT_NOFILE, &bound) != 0)
    return 0;
  bound.rlim_cur = bound.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &bound);
  ::getrlimit(RLIMIT_NOFILE, &bound);
  return bound.rlim_cur;
}

expected<void> refuse_second_process(const store_options& options,
                                     const std::string& node,
                                     std::chrono::milliseconds watch,
                                     const wait_function& wait) {
  WEIR_TRY(auto all, slots_of(options));
  const auto before = foreign(all, node);
  if (before.empty())
    return ok();
  log_.warn("another node's slot is in the database owner={} action=watched "
            "for_ms={} before it is taken over",
            before.front().owner, watch.count());
  // The only wait at a start, and only after a foreign node.
  wait(watch);
  WEIR_TRY(auto again, slots_of(options));
  if (foreign(again, node) != before)
    return fail(ec::busy,
                fmt::format("node {} uses this database and is alive; several "
                            "nodes are not supported yet",
                            before.front().owner));
  return ok();
}

expected<store_identity> prepare_store(const store_options& options,
                                       const std::string& node,
                                       std::chrono::milliseconds watch,
                                       const wait_function& wait) {
  // First: a migration would take the tables from under the other process.
  WEIR_TRY(refuse_second_process(options, node, watch, wait));
  WEIR_TRY(auto opened, open_store(options, true));
  opened.reset();
  WEIR_TRY(auto reader, open_store_reader(options));
  return reader->identity();
}

} // namespace weir
