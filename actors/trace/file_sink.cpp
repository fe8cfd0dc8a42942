#include "actors/trace/file_sink.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weir::trace {

namespace {

/// Lines are gathered for so long, or until they are so many: waking a thread
/// and a write for each costs more than all else. A kill loses what was
/// gathered.
constexpr auto gather_time = std::chrono::milliseconds{50};
constexpr size_t gather_bytes_max = size_t{1} << 20;

std::string because(const std::string& what, const std::string& path) {
  return what + ' ' + path + ": " + std::generic_category().message(errno);
}

} // namespace

expected<std::shared_ptr<file_sink>>
file_sink::open(file_sink_options options,
                std::function<void(const std::string&)> on_failure) {
  std::shared_ptr<file_sink> made{
    new file_sink{std::move(options), std::move(on_failure)}};
  WEIR_TRY(made->begin_file());
  made->thread_ = std::thread{[sink = made.get()] { sink->write_all(); }};
  return made;
}

file_sink::file_sink(file_sink_options options,
                     std::function<void(const std::string&)> on_failure)
  : options_{std::move(options)},
    on_failure_{std::move(on_failure)} {
}

file_sink::~file_sink() {
  finish();
  if (file_ >= 0)
    ::close(file_);
}

void file_sink::finish() {
  {
    const std::lock_guard guard{mutex_};
    ending_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable())
    thread_.join();
}

void file_sink::take(std::string line) {
  const std::lock_guard guard{mutex_};
  if (heading_.empty())
    heading_ = line; // Any line of a trace comes after its heading.
  const bool room = waiting_bytes_ + line.size() <= waiting_bytes_max;
  if (!room || !status_.failure.empty()) {
    ++status_.dropped;
    ++unsaid_;
    return;
  }
  const auto before = waiting_bytes_;
  waiting_bytes_ += line.size();
  waiting_.push_back(std::move(line));
  const bool many
    = before < gather_bytes_max && waiting_bytes_ >= gather_bytes_max;
  if (waiting_.size() == 1 || many)
    changed_.notify_one();
}

file_sink_status file_sink::status() const {
  const std::lock_guard guard{mutex_};
  return status_;
}

void file_sink::write_all() {
  for (;;) {
    std::vector<std::string> lines;
    uint64_t dropped = 0;
    {
      std::unique_lock lock{mutex_};
      changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      if (waiting_.empty())
        return;
      changed_.wait_for(lock, gather_time, [this] {
        return ending_ || waiting_bytes_ >= gather_bytes_max;
      });
      lines.swap(waiting_);
      waiting_bytes_ = 0;
      dropped = std::exchange(unsaid_, 0);
    }
    const auto done = write(std::move(lines), dropped);
    if (done)
      continue;
    {
      const std::lock_guard guard{mutex_};
      status_.failure = done.error().context;
      status_.dropped += waiting_.size();
      waiting_.clear();
    }
    return on_failure_(done.error().context);
  }
}

/// What was dropped came behind these lines.
expected<void> file_sink::write(std::vector<std::string> lines,
                                uint64_t dropped) {
  if (dropped > 0)
    lines.push_back(gap_line(dropped));
  std::string text;
  for (const auto& line : lines) {
    const auto bytes = status().bytes + text.size();
    // A file always takes one record, however long, or it would never end.
    if (bytes > heading_.size() + 1
        && bytes + line.size() + 1 > options_.bytes_max) {
      WEIR_TRY(append(text));
      WEIR_TRY(begin_file());
      text = heading_ + '\n';
    }
    text += line;
    text += '\n';
  }
  return append(text);
}

/// All of it, or as many whole lines as there is room for.
expected<void> file_sink::append(const std::string& text) {
  const auto before = status().bytes;
  for (size_t done = 0; done < text.size();) {
    const auto count = ::write(file_, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      auto why = because("cannot write", options_.path);
      const auto lines = text.rfind('\n', done > 0 ? done - 1 : 0);
      const auto whole = done > 0 && lines != std::string::npos ? lines + 1 : 0;
      if (::ftruncate(file_, static_cast<off_t>(before + whole)) != 0)
        why += ", nor take the part of a line back";
      return fail(ec::unavailable, std::move(why));
    }
    done += static_cast<size_t>(count);
  }
  const std::lock_guard guard{mutex_};
  status_.bytes += text.size();
  return ok();
}

expected<void> file_sink::begin_file() {
  if (file_ >= 0)
    ::close(std::exchange(file_, -1));
  keep_older();
  // For its owner only: who wrote what to whom stands in it.
  file_ = ::open(options_.path.c_str(),
                 O_CREAT | O_TRUNC | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  if (file_ < 0)
    return fail(ec::unavailable, because("cannot make", options_.path));
  const std::lock_guard guard{mutex_};
  status_.bytes = 0;
  return ok();
}

void file_sink::keep_older() {
  struct stat found {};
  if (::stat(options_.path.c_str(), &found) != 0 || found.st_size == 0)
    return;
  const auto older = [this](uint32_t age) {
    return age == 0 ? options_.path : options_.path + '.' + std::to_string(age);
  };
  for (auto age = options_.rotate; age > 0; --age)
    std::rename(older(age - 1).c_str(), older(age).c_str());
}

} // namespace weir::trace
