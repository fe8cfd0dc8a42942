#pragma once

#include "actors/trace/guard.hpp"
#include "schema/error.hpp"

#include <cstdint>
#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <vector>

/// Reads traces. Total: any bytes give records, notes or an error, in bounded
/// memory.
namespace weir::trace {

/// What `load` takes at most: far more than a trace that is fit to be replayed.
inline constexpr size_t records_loaded_max = 1'000'000;
/// Nothing that Weir writes is nested deeper.
inline constexpr size_t line_depth_max = 64;

/// One line, its fixed members checked. The rest is in `body`.
struct record {
  size_t line = 0;  ///< Of the file, from 1.
  std::string kind; ///< `trace`, `start`, `message`, `end`, `gap`.
  std::string actor;
  uint32_t incarnation = 0;
  uint64_t seq = 0;
  int64_t at_ns = 0; ///< Of the monotonic clock.
  json body;

  /// `appservice/telegram#2`
  [[nodiscard]] std::string label() const {
    return actor + '#' + std::to_string(incarnation);
  }
  /// The type of the message; of others the kind.
  [[nodiscard]] std::string step() const;
  [[nodiscard]] const json& effects() const;
};

/// One line, not longer than `line_bytes_max` and a margin. Errors:
/// `ec::not_json`, `ec::bad_json`.
expected<record> parse_record(std::string_view line, size_t number);

/// Gives each record in the order of the file to `visit`, until that says no.
/// A last line that was cut off by a crash is left out and told to `note`.
/// Errors: of a line, with its number; a trace has to begin with its heading.
expected<void> each_record(std::istream& from,
                           const std::function<bool(record)>& visit,
                           const std::function<void(std::string)>& note);

/// Which records are meant.
struct record_filter {
  std::vector<std::string> actors; ///< Names, `NAME*`, or `NAME#2`. Empty: all.
  std::optional<int64_t> from_ns;  ///< Of the monotonic clock.
  std::optional<int64_t> to_ns;
  std::string text; ///< Somewhere in the record: an id. Empty: any.

  [[nodiscard]] bool takes_actor(const record& each) const;
  [[nodiscard]] bool takes(const record& each) const;
};

/// A trace in memory.
struct loaded_trace {
  json heading;
  std::vector<record> records; ///< Without the heading.
  std::vector<std::string> notes;
};

/// All records that `filter` takes, gaps among them. Errors: those of
/// `each_record`; `ec::too_large`; `ec::not_found` when there is no such file.
expected<loaded_trace> load(const std::string& path,
                            const record_filter& filter = {});
expected<loaded_trace> load(std::istream& from,
                            const record_filter& filter = {});

/// The records that `filter.actors` need to be replayed up to `filter.to_ns`:
/// of each incarnation that was alive in the span, all from its start on.
loaded_trace cut(const loaded_trace& from, const record_filter& filter);

/// As a file: the heading and then a line each.
std::string to_text(const loaded_trace& what);

} // namespace weir::trace
