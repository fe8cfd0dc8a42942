#include "actors/trace/recorder.hpp"

#include "actors/trace/session.hpp"

#include <algorithm>
#include <utility>

namespace weir::trace {

namespace {

struct current {
  std::mutex mutex;
  std::shared_ptr<session> value;
  uint64_t last_number = 0;
};

current& now() {
  static current instance;
  return instance;
}

std::string heading(const recorder_options& options) {
  const json line{{"v", format_version},
                  {"kind", "trace"},
                  {"began_unix_ms", options.began_unix_ms},
                  {"node", options.node},
                  {"actors", options.actors},
                  {"with_content", options.with_content}};
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

void install(std::shared_ptr<session> next) {
  const std::lock_guard guard{now().mutex};
  if (next)
    next->number = ++now().last_number;
  now().value = std::move(next);
  switched_on.store(now().value != nullptr, std::memory_order_relaxed);
}

std::shared_ptr<session> make_session(std::shared_ptr<sink> to,
                                      recorder_options options) {
  auto made = std::make_shared<session>();
  made->to = std::move(to);
  made->options = std::move(options);
  made->to->take(heading(made->options));
  return made;
}

} // namespace

void memory_sink::take(std::string line) {
  const std::lock_guard guard{mutex_};
  lines_.push_back(std::move(line));
  if (lines_.size() <= lines_max_)
    return;
  lines_.erase(lines_.begin() + 1); // The heading stays.
  ++dropped_;
}

std::vector<std::string> memory_sink::lines() const {
  const std::lock_guard guard{mutex_};
  std::vector<std::string> result{lines_.begin(), lines_.end()};
  if (dropped_ > 0)
    result.insert(result.begin() + 1, gap_line(dropped_));
  return result;
}

void start(std::shared_ptr<sink> to, recorder_options options) {
  install(make_session(std::move(to), std::move(options)));
}

void start_replay(std::shared_ptr<sink> to, recorder_options options,
                  replayed_seams& seams) {
  auto made = make_session(std::move(to), std::move(options));
  made->replay = &seams;
  install(std::move(made));
}

void stop() {
  install(nullptr);
}

std::shared_ptr<session> session_now() {
  const std::lock_guard guard{now().mutex};
  return now().value;
}

recorder_status status() {
  const auto running = session_now();
  if (!running)
    return {};
  return {true, running->records.load(), running->options};
}

std::string gap_line(uint64_t dropped) {
  return json{{"v", format_version}, {"kind", "gap"}, {"dropped", dropped}}
    .dump();
}

} // namespace weir::trace
