#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string_view>

namespace weir {

/// From what only a developer reads to what a person must act on.
enum class log_level : uint8_t { debug, info, warn, error };

/// The one way to say something to the operator. A line is a fixed lower-case
/// phrase and then `key=value` pairs. `error`: a person must act. `warn`:
/// degraded, we go on. `info`: lifecycle. `debug`: per transaction. Never a
/// token or an event body. The same `warn` or `error` phrase of one component
/// and subject is printed at most once in 10 s; the next line says how many
/// were held back and since when (`repeated=N since=TIME`).
class logger {
public:
  constexpr explicit logger(std::string_view component)
    : component_{component} {
  }

  template <class... Args>
  void debug(fmt::format_string<Args...> text, Args&&... args) const {
    if (enabled(log_level::debug))
      write(log_level::debug, text, fmt::make_format_args(args...));
  }
  template <class... Args>
  void info(fmt::format_string<Args...> text, Args&&... args) const {
    write(log_level::info, text, fmt::make_format_args(args...));
  }
  template <class... Args>
  void warn(fmt::format_string<Args...> text, Args&&... args) const {
    write(log_level::warn, text, fmt::make_format_args(args...));
  }
  template <class... Args>
  void error(fmt::format_string<Args...> text, Args&&... args) const {
    write(log_level::error, text, fmt::make_format_args(args...));
  }

  static bool enabled(log_level level) noexcept;

private:
  void write(log_level level, fmt::string_view text,
             fmt::format_args args) const;

  std::string_view component_;
};

/// Sends log lines to standard error from `level` up. Before this is called
/// nothing is printed, so that tests stay quiet.
void start_logging(log_level level);

} // namespace weir
