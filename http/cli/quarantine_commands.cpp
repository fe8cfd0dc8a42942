#include "http/cli/answer_fields.hpp"
#include "http/cli/kept_commands.hpp"
#include "http/cli/text_table.hpp"
#include "schema/config_values.hpp"

#include <fmt/core.h>

#include <ostream>

namespace weir {

namespace {

constexpr size_t id_columns_max = 64;
constexpr size_t reason_columns_max = 60;
/// A person reads that much; the rest is had with `--raw`.
constexpr size_t body_columns_max = 4'000;

int print_raw(const admin_call& call, const std::string& path,
              std::ostream& out, std::ostream& err) {
  auto answer = call("GET", path + "/raw");
  if (answer && answer.value().status == 200) {
    out << answer.value().body;
    return exit_ok;
  }
  // What went wrong is told as for all commands.
  const admin_call again
    = [&answer](std::string_view, std::string_view) { return answer; };
  ask_admin(again, "GET", path, false, out, err);
  return exit_failed;
}

} // namespace

int list_quarantine_command(const admin_call& call, const kept_filter& filter,
                            bool raw, std::ostream& out, std::ostream& err) {
  auto path = fmt::format("/_weir/admin/v1/quarantine?after={}&limit={}",
                          filter.after, filter.limit);
  if (!filter.appservice.empty())
    path += "&appservice=" + encode_path_segment(filter.appservice);
  const auto answer = ask_admin(call, "GET", path, raw, out, err);
  if (!answer)
    return exit_failed;
  if (raw)
    return exit_ok;
  const auto bodies = list_at(*answer, "quarantine");
  if (bodies.empty()) {
    out << "nothing is quarantined\n";
    return exit_ok;
  }
  std::vector<std::vector<std::string>> rows{
    {"ID", "APPSERVICE", "LAST AT", "TRANSACTION", "BYTES", "TIMES", "REASON"}};
  for (const auto& one : bodies)
    rows.push_back({or_dash(text_at(one, "id")),
                    or_dash(text_at(one, "appservice", id_columns_max)),
                    show_moment(number_at(one, "last_at_ms")),
                    or_dash(text_at(one, "hs_txn_id", id_columns_max)),
                    show_bytes(static_cast<uint64_t>(number_at(one, "bytes"))),
                    fmt::format("{}", number_at(one, "times")),
                    or_dash(text_at(one, "reason", reason_columns_max))});
  out << text_table(rows);
  if (const auto next = text_at(*answer, "next"); !next.empty())
    out << "more: --after " << next << '\n';
  return exit_ok;
}

int show_quarantined_command(const admin_call& call, quarantined_view what,
                             bool raw, std::ostream& out, std::ostream& err) {
  const auto path = fmt::format("/_weir/admin/v1/quarantine/{}", what.id);
  if (what.raw)
    return print_raw(call, path, out, err);
  const auto answer = ask_admin(call, "GET", path, raw, out, err);
  if (!answer)
    return exit_failed;
  if (raw)
    return exit_ok;
  const auto& one = *answer;
  out << text_table({
    {"id", or_dash(text_at(one, "id"))},
    {"appservice", or_dash(text_at(one, "appservice"))},
    {"transaction", or_dash(text_at(one, "hs_txn_id"))},
    {"reason", or_dash(text_at(one, "reason"))},
    {"bytes", fmt::format("{}", number_at(one, "bytes"))},
    {"times", fmt::format("{}", number_at(one, "times"))},
    {"first at", show_moment(number_at(one, "first_at_ms"))},
    {"last at", show_moment(number_at(one, "last_at_ms"))},
  });
  const auto body = text_at(one, "body", body_columns_max);
  out << '\n' << (body.empty() ? "use --raw for its bytes" : body) << '\n';
  return exit_ok;
}

} // namespace weir
