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

} // namespace

control::control(file_sink_options files, std::string node,
                 std::function<int64_t()> unix_ms)
  : files_{std::move(files)},
    node_{std::move(node)},
    unix_ms_{std::move(unix_ms)} {
}

control::~control() {
  stop();
}

expected<void> control::start(recorder_options what) {
  const std::lock_guard guard{mutex_};
  end();
  WEIR_TRY(auto sink, file_sink::open(files_, switched_off));
  what.began_unix_ms = unix_ms_();
  what.node = node_;
  sink_ = sink;
  trace::start(std::move(sink), std::move(what));
  log_.info("trace begun file={}", files_.path);
  return ok();
}

void control::stop() {
  const std::lock_guard guard{mutex_};
  end();
}

void control::end() {
  if (!sink_)
    return;
  const auto recorder = trace::status();
  trace::stop();
  sink_->finish();
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
