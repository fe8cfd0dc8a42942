#include "http/reloader.hpp"

#include "schema/log.hpp"

#include <utility>

namespace weir {

namespace {

const logger log_{"reload"};

/// More than a person reads at once; `weir check` prints them all.
constexpr size_t problems_logged_max = 20;

std::string joined(const std::vector<std::string>& names) {
  std::string list;
  for (const auto& name : names)
    list += (list.empty() ? "" : ",") + name;
  return list.empty() ? "-" : list;
}

/// Each refusal is told, however soon after another: it answers a person. Hence
/// its number stands first.
void tell_refused(const reload_report& report, uint64_t number) {
  size_t told = 0;
  for (const auto& problem : report.problems)
    if (told++ < problems_logged_max)
      log_.error("configuration {}", to_string(problem));
  log_.error(
    "configuration not reloaded refusal={} problems={} first={} action=nothing "
    "was changed, weir goes on as before; run weir check, then weir reload",
    number, report.problems.size(), to_string(report.problems.front()));
}

void tell_applied(const reload_report& report) {
  for (const auto& warning : report.warnings)
    log_.warn("configuration {}", to_string(warning));
  const auto& changes = report.changes;
  log_.info("configuration reloaded added={} changed={} removed={}",
            joined(changes.added), joined(changes.changed),
            joined(changes.removed));
  if (!changes.need_restart.empty())
    log_.warn("settings wait for a restart keys={} action=restart weir when it "
              "suits, deliveries go on",
              joined(changes.need_restart));
}

} // namespace

reloader::reloader(std::shared_ptr<const loaded_setup> in_force,
                   std::function<void(const loaded_setup&)> apply)
  : apply_{std::move(apply)},
    in_force_{std::move(in_force)} {
}

reload_report reloader::reload() {
  const std::lock_guard order{one_at_a_time_};
  const auto now = in_force();
  auto read = load_setup(now->config_path, documents::forget);
  reload_report report;
  report.problems = reload_problems(*now, read);
  report.warnings = read.warnings;
  refused_last_ = !report.problems.empty();
  if (refused_last_) {
    tell_refused(report, ++refusals_);
    return report;
  }
  report.changes = changes_between(*now, read);
  auto next
    = std::make_shared<const loaded_setup>(with_appservices_of(*now, read));
  {
    const std::lock_guard guard{mutex_};
    in_force_ = next;
  }
  const bool keeps_alike = next->settings.appservices.keep_removed
    == now->settings.appservices.keep_removed;
  if (report.changes.any() || !keeps_alike)
    apply_(*next);
  report.applied = true;
  tell_applied(report);
  return report;
}

std::shared_ptr<const loaded_setup> reloader::in_force() const {
  const std::lock_guard guard{mutex_};
  return in_force_;
}

} // namespace weir
