#include "schema/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <unordered_map>

namespace weir {

namespace {

constexpr auto quiet_time = std::chrono::seconds{10};
constexpr size_t remembered_lines_max = 4096;

std::atomic<int> threshold{static_cast<int>(log_level::error) + 1};
std::shared_ptr<spdlog::logger> output;

spdlog::level::level_enum to_spdlog(log_level level) {
  switch (level) {
  case log_level::debug: return spdlog::level::debug;
  case log_level::info: return spdlog::level::info;
  case log_level::warn: return spdlog::level::warn;
  case log_level::error: return spdlog::level::err;
  }
  return spdlog::level::err;
}

/// Which repeated lines were held back, and how often. Bounded: when it is
/// full it forgets all, which at worst prints a line early.
class flood_gate {
public:
  /// Returns how many equal lines were held back before this one, or -1 when
  /// this one is to be held back too.
  int64_t pass(const std::string& key,
               std::chrono::steady_clock::time_point now) {
    const std::lock_guard guard{mutex_};
    if (lines_.size() >= remembered_lines_max)
      lines_.clear();
    auto [line, is_new] = lines_.try_emplace(key, entry{now, 0});
    if (is_new)
      return 0;
    if (now - line->second.printed < quiet_time) {
      ++line->second.held_back;
      return -1;
    }
    const auto held_back = std::exchange(line->second.held_back, 0);
    line->second.printed = now;
    return held_back;
  }

private:
  struct entry {
    std::chrono::steady_clock::time_point printed;
    int64_t held_back = 0;
  };
  std::mutex mutex_;
  std::unordered_map<std::string, entry> lines_;
};

flood_gate& gate() {
  static flood_gate instance;
  return instance;
}

/// The phrase and its first pair: `push refused dest=irc`. Lines about another
/// subject are not repetitions; other numbers behind it are.
std::string repetition_key(std::string_view component, std::string_view line) {
  auto end = line.find('=');
  end = end == std::string_view::npos ? line.size() : line.find(' ', end);
  return std::string{component}.append(":").append(line.substr(0, end));
}

} // namespace

bool logger::enabled(log_level level) noexcept {
  return static_cast<int>(level) >= threshold.load(std::memory_order_relaxed);
}

void logger::write(log_level level, fmt::string_view text,
                   fmt::format_args args) const {
  if (!enabled(level))
    return;
  auto line = fmt::vformat(text, args);
  for (auto& c : line)
    if (static_cast<unsigned char>(c) < 0x20)
      c = ' '; // A peer's text must not forge a second line.
  if (level >= log_level::warn) {
    const auto held_back = gate().pass(repetition_key(component_, line),
                                       std::chrono::steady_clock::now());
    if (held_back < 0)
      return;
    if (held_back > 0)
      line.append(" repeated=").append(std::to_string(held_back));
  }
  output->log(to_spdlog(level), "{} {}", component_, line);
}

void start_logging(log_level level) {
  output = spdlog::stderr_logger_mt("weir");
  output->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  output->set_level(spdlog::level::debug);
  output->flush_on(spdlog::level::debug);
  threshold.store(static_cast<int>(level), std::memory_order_relaxed);
}

} // namespace weir
