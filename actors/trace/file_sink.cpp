#include "actors/trace/file_sink.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string_view>
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

/// Whether a file holds a trace, of any version, or the beginning of one that
/// was cut off. Whoever names another file by mistake, be it the database, is
/// to find it where it was.
bool begins_like_a_trace(const std::string& path) {
  constexpr std::string_view start = R"({"v":)";
  constexpr std::string_view kind = R"(,"kind":"trace")";
  std::ifstream file{path, std::ios::binary};
  std::string head(start.size() + 20 + kind.size(), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (file.bad() || (!file && !file.eof()))
    return false;
  head.resize(static_cast<size_t>(file.gcount()));
  if (!head.starts_with(start))
    return start.starts_with(head);
  const auto rest = std::string_view{head}.substr(
    std::min(head.find_first_not_of("0123456789", start.size()), head.size()));
  return rest.starts_with(kind) || kind.starts_with(rest);
}

} // namespace

expected<std::shared_ptr<file_sink>>
file_sink::open(file_sink_options options,
                std::function<void(const std::string&)> on_failure) {
  std::shared_ptr<file_sink> made{
    new file_sink{std::move(options), std::move(on_failure)}};
  WEIR_TRY(made->begin_file());
  made->begin_thread();
  return made;
}

std::shared_ptr<file_sink>
file_sink::into(int file, file_sink_options options,
                std::function<void(const std::string&)> on_failure) {
  std::shared_ptr<file_sink> made{
    new file_sink{std::move(options), std::move(on_failure)}};
  made->file_ = file;
  made->begin_thread();
  return made;
}

file_sink::file_sink(file_sink_options options,
                     std::function<void(const std::string&)> on_failure)
  : options_{std::move(options)},
    on_failure_{std::move(on_failure)} {
}

file_sink::~file_sink() {
  if (thread_.joinable()) {
    {
      const std::lock_guard guard{mutex_};
      ending_ = true;
      changed_.notify_all();
    }
    thread_.join();
  }
  if (file_ >= 0)
    ::close(file_);
}

void file_sink::begin_thread() {
  thread_ = std::thread{[this] { write_all(); }};
}

void file_sink::finish() {
  std::unique_lock lock{mutex_};
  ending_ = true;
  changed_.notify_all();
  changed_.wait_for(lock, options_.finish_time, [this] { return ended_; });
  if (!thread_.joinable())
    return;
  if (ended_) {
    lock.unlock();
    return thread_.join();
  }
  status_.failure = "the disk hangs at " + options_.path;
  given_up_ = shared_from_this();
  thread_.detach();
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
  write_what_comes();
  std::shared_ptr<file_sink> last; // Beyond the lock.
  const std::lock_guard guard{mutex_};
  ended_ = true;
  changed_.notify_all();
  last = std::move(given_up_);
}

void file_sink::write_what_comes() {
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
      status_.dropped += waiting_.size();
      waiting_.clear();
      if (given_up_)
        return; // Another trace may be running by now.
      status_.failure = done.error().context;
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
  {
    const std::lock_guard guard{mutex_};
    if (given_up_)
      return fail(ec::unavailable, "the path may be another trace's by now");
  }
  if (file_ >= 0)
    ::close(std::exchange(file_, -1));
  WEIR_TRY(make_way());
  // For its owner only: who wrote what to whom stands in it.
  file_ = ::open(options_.path.c_str(),
                 O_CREAT | O_EXCL | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  if (file_ < 0)
    return fail(ec::unavailable, because("cannot make", options_.path));
  const std::lock_guard guard{mutex_};
  status_.bytes = 0;
  return ok();
}

/// Afterwards nothing stands at the path. An older trace is kept or, without
/// `rotate`, removed.
expected<void> file_sink::make_way() const {
  const auto& path = options_.path;
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0)
    return errno == ENOENT
      ? expected<void>{ok()}
      : fail(ec::unavailable, because("cannot look at", path));
  if (!S_ISREG(found.st_mode) || !begins_like_a_trace(path))
    return fail(ec::unavailable,
                path + " is there and is no trace: it stays as it is");
  if (options_.rotate == 0 || found.st_size == 0)
    return ::unlink(path.c_str()) == 0
      ? expected<void>{ok()}
      : fail(ec::unavailable, because("cannot remove", path));
  const auto older = [&path](uint32_t age) {
    return age == 0 ? path : path + '.' + std::to_string(age);
  };
  for (auto age = options_.rotate; age > 0; --age)
    if (std::rename(older(age - 1).c_str(), older(age).c_str()) != 0
        && errno != ENOENT)
      return fail(ec::unavailable, because("cannot keep", older(age - 1)));
  return ok();
}

} // namespace weir::trace
