#pragma once

#include "actors/trace/reader.hpp"

#include <string>

/// Traces for people.
namespace weir::trace {

/// Text from a trace that may be shown on a terminal: as in JSON, all ASCII.
std::string plain(const std::string& text);

/// `0:00:03.250`, from nanoseconds.
std::string show_time(int64_t ns);

/// `250 ms`, `3 s`, `15 min`: exact, in its largest whole unit.
std::string show_delay(int64_t ns);

/// One line: what was done, to whom, with what.
std::string show_effect(const json& effect);

/// One line: when, who, what, from whom. Times count from `origin_ns`.
std::string show_step(const record& one, int64_t origin_ns);

/// That line and below it one for each effect.
std::string show_record(const record& one, int64_t origin_ns);

/// How two effects, or two contents, differ: one line for each member.
std::string show_difference(const json& recorded, const json& replayed);

/// Above the first record of an incarnation whose start is not in the trace.
std::string show_running(const record& first);

} // namespace weir::trace
