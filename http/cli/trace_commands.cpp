#include "http/cli/trace_commands.hpp"

#include "actors/trace/replay.hpp"
#include "actors/trace/show.hpp"
#include "http/cli/admin_commands.hpp"
#include "http/cli/text_table.hpp"
#include "schema/config_values.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <ostream>
#include <set>

#include <fcntl.h>
#include <unistd.h>

namespace weir {

namespace {

constexpr int exit_nothing_replayed = 3;

/// The time of the first record that has one: what `--from` and `--to` count
/// from.
expected<int64_t> origin_of(const std::string& file) {
  std::ifstream from{file, std::ios::binary};
  if (!from)
    return fail(ec::not_found, file + ": cannot be read");
  int64_t origin = 0;
  auto read = trace::each_record(
    from,
    [&](const trace::record& one) {
      origin = one.at_ns;
      return origin == 0;
    },
    [](const std::string&) {});
  if (!read)
    return fail(read.error().code, file + ": " + read.error().context);
  return origin;
}

expected<std::optional<int64_t>> moment_of(const std::string& text,
                                           int64_t origin) {
  if (text.empty())
    return std::optional<int64_t>{};
  WEIR_TRY(auto span, parse_duration(text));
  // No trace is longer than a century; the sum has to be a time.
  constexpr std::chrono::milliseconds longest = std::chrono::hours{24 * 36'525};
  const std::chrono::nanoseconds since = std::min(span, longest);
  return std::optional{origin + since.count()};
}

struct selected {
  trace::record_filter filter;
  int64_t origin = 0;
};

expected<selected> select(const std::string& file,
                          const trace_selection& which) {
  selected result;
  result.filter.actors = which.actors;
  result.filter.text = which.id;
  WEIR_TRY(result.origin, origin_of(file));
  WEIR_TRY(result.filter.from_ns, moment_of(which.from, result.origin));
  WEIR_TRY(result.filter.to_ns, moment_of(which.to, result.origin));
  return result;
}

int complain(const error& what, std::ostream& err) {
  err << printable(what.context, 500) << '\n';
  return exit_failed;
}

/// A new file is for its owner only, as the trace is.
void make_private(const std::string& path) {
  const int made = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (made >= 0)
    ::close(made);
}

std::string joined(const std::vector<std::string>& names) {
  std::string list;
  for (const auto& name : names)
    list += (list.empty() ? "" : ",") + name;
  return list;
}

int tell_status(const std::optional<nlohmann::json>& answer, bool raw,
                std::ostream& out) {
  if (!answer)
    return exit_failed;
  if (raw)
    return exit_ok;
  const auto text = [&](const char* key) {
    const auto found = answer->find(key);
    if (found == answer->end())
      return std::string{"-"};
    return printable(
      found->is_string() ? found->get<std::string>() : found->dump(), 200);
  };
  out << (answer->value("on", false) ? "tracing" : "not tracing") << '\n';
  out << text_table(
    {{"file", text("file")},
     {"actors", text("actors") == "[]" ? "all" : text("actors")},
     {"with content", text("with_content")},
     {"records", text("records")},
     {"dropped", text("dropped")},
     {"file bytes", text("file_bytes")},
     {"failure", text("failure")}});
  return exit_ok;
}

} // namespace

int show_trace_command(const std::string& file, const trace_selection& which,
                       bool raw, std::ostream& out, std::ostream& err) {
  auto what = select(file, which);
  if (!what)
    return complain(what.error(), err);
  std::ifstream from{file, std::ios::binary};
  std::set<std::string> known; // Incarnations that have a start or were shown.
  auto read = trace::each_record(
    from,
    [&](const trace::record& one) {
      if (one.kind == "start")
        known.insert(one.label());
      if (one.kind == "trace" || !what.value().filter.takes(one))
        return true;
      if (!raw && one.kind != "gap" && known.insert(one.label()).second)
        out << trace::show_running(one);
      if (raw)
        out << one.body.dump(-1, ' ', false,
                             trace::json::error_handler_t::replace)
            << '\n';
      else
        out << trace::show_record(one, what.value().origin);
      return static_cast<bool>(out);
    },
    [&](const std::string& note) { err << note << '\n'; });
  return read ? exit_ok : complain(read.error(), err);
}

int cut_trace_command(const std::string& file, const trace_selection& which,
                      const std::string& out_file, std::ostream& out,
                      std::ostream& err) {
  auto what = select(file, which);
  if (!what)
    return complain(what.error(), err);
  auto loaded = trace::load(file, {which.actors, {}, {}, {}});
  if (!loaded)
    return complain(loaded.error(), err);
  const auto cut = trace::cut(loaded.value(), what.value().filter);
  for (const auto& note : cut.notes)
    err << note << '\n';
  if (cut.records.empty()) {
    err << "no record of that actor in that span\n";
    return exit_failed;
  }
  if (out_file.empty()) {
    out << trace::to_text(cut);
    return exit_ok;
  }
  make_private(out_file);
  std::ofstream to{out_file, std::ios::binary};
  to << trace::to_text(cut) << std::flush;
  if (!to)
    return complain({ec::unavailable, out_file + ": cannot be written"}, err);
  err << fmt::format("{} records in {}\n", cut.records.size(), out_file);
  return exit_ok;
}

int replay_trace_command(const std::string& file, const trace_selection& which,
                         std::ostream& out, std::ostream& err) {
  auto loaded = trace::load(file, {which.actors, {}, {}, {}});
  if (!loaded)
    return complain(loaded.error(), err);
  for (const auto& note : loaded.value().notes)
    err << note << '\n';
  const auto report = trace::replay(loaded.value());
  out << trace::to_text(report);
  if (report.different())
    return exit_failed;
  if (report.same())
    return exit_ok;
  err << "nothing in this trace can be replayed\n";
  return exit_nothing_replayed;
}

int start_trace_command(const admin_call& call, const trace_order& what,
                        bool raw, std::ostream& out, std::ostream& err) {
  std::string path = "/_weir/admin/v1/trace/start";
  std::string query;
  if (!what.actors.empty())
    query += "&actors=" + encode_path_segment(joined(what.actors));
  if (what.with_content)
    query += "&with_content=true";
  if (!query.empty())
    path += '?' + query.substr(1);
  const auto result
    = tell_status(ask_admin(call, "POST", path, raw, out, err), raw, out);
  if (result == exit_ok && !raw)
    out << "who runs already can be replayed from the next start on: a queue "
           "when it was idle and is woken, the others when Weir starts\n";
  return result;
}

int stop_trace_command(const admin_call& call, bool raw, std::ostream& out,
                       std::ostream& err) {
  return tell_status(
    ask_admin(call, "POST", "/_weir/admin/v1/trace/stop", raw, out, err), raw,
    out);
}

int trace_status_command(const admin_call& call, bool raw, std::ostream& out,
                         std::ostream& err) {
  return tell_status(
    ask_admin(call, "GET", "/_weir/admin/v1/trace", raw, out, err), raw, out);
}

} // namespace weir
