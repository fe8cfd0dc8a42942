#include "actors/trace/control.hpp"

#include "schema/log.hpp"

#include <utility>

namespace weir::trace {

namespace {

const logger log_{"trace"};

void switched_off(const std::string& why) {
  trace::stop();
  log_.error("trace switched off what={} action=make room, then weir trace "
             "start; deliveries go on",
             why);
}

error under_way() {
  return {ec::busy, "another start or stop of the trace waits for the disk"};
}

} // namespace

control::control(file_sink_options files, std::string node,
                 std::function<int64_t()> unix_ms)
  : files_{std::move(files)},
    node_{std::move(node)},
    unix_ms_{std::move(unix_ms)} {
}

control::~control() {
  const std::lock_guard alone{switching_};
  end();
}

expected<void> control::start(recorder_options what) {
  const std::unique_lock alone{switching_, std::try_to_lock};
  if (!alone)
    return fail(under_way());
  end();
  WEIR_TRY(auto sink, file_sink::open(files_, switched_off));
  what.began_unix_ms = unix_ms_();
  what.node = node_;
  {
    const std::lock_guard guard{mutex_};
    sink_ = sink;
  }
  trace::start(sink, std::move(what));
  if (!sink->status().failure.empty())
    trace::stop(); // The disk refused before there was anything to switch off.
  log_.info("trace begun file={}", files_.path);
  return ok();
}

expected<void> control::stop() {
  const std::unique_lock alone{switching_, std::try_to_lock};
  if (!alone)
    return fail(under_way());
  end();
  return ok();
}

void control::end() {
  if (!sink_) // Only who holds `switching_` sets it.
    return;
  const auto recorder = trace::status();
  trace::stop();
  sink_->finish();
  const std::lock_guard guard{mutex_};
  last_ = {recorder, sink_->status(), files_.path};
  last_.recorder.on = false;
  sink_.reset();
  log_.info("trace ended file={} records={}", files_.path,
            last_.recorder.records);
}

control_status control::status() const {
  const std::lock_guard guard{mutex_};
  if (!sink_)
    return last_;
  return {trace::status(), sink_->status(), files_.path};
}

} // namespace weir::trace
