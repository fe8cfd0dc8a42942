#include "schema/log.hpp"

#include "schema/flood_gate.hpp"

#include <fmt/chrono.h>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>

namespace weir {

namespace {

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

/// As the configuration and docs/operations.md call it; spdlog says "warning".
std::string_view word_of(log_level level) {
  switch (level) {
  case log_level::debug: return "debug";
  case log_level::info: return "info";
  case log_level::warn: return "warn";
  case log_level::error: return "error";
  }
  return "error";
}

/// Lets a line of any thread pass, or not.
flood_gate::passage pass(const std::string& key) {
  static std::mutex mutex;
  static flood_gate gate;
  const std::lock_guard guard{mutex};
  return gate.pass(key, std::chrono::steady_clock::now());
}

/// ` repeated=12 since=2026-11-30T04:12:09+0000`, by the clock of the lines.
std::string repetitions(const flood_gate::passage& told) {
  const auto ago = std::chrono::steady_clock::now() - told.since;
  const auto since = std::chrono::system_clock::to_time_t(
    std::chrono::system_clock::now()
    - std::chrono::duration_cast<std::chrono::system_clock::duration>(ago));
  return fmt::format(" repeated={} since={:%Y-%m-%dT%H:%M:%S%z}",
                     told.held_back, fmt::localtime(since));
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
    const auto told = pass(repetition_key(component_, line));
    if (!told.prints)
      return;
    if (told.held_back > 0)
      line.append(repetitions(told));
  }
  output->log(to_spdlog(level), "{} {} {}", word_of(level), component_, line);
}

void start_logging(log_level level) {
  output = spdlog::stderr_logger_mt("weir");
  output->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %v");
  output->set_level(spdlog::level::debug);
  output->flush_on(spdlog::level::debug);
  threshold.store(static_cast<int>(level), std::memory_order_relaxed);
}

} // namespace weir
