#include "http/cli/removal_commands.hpp"

#include "http/cli/admin_commands.hpp"
#include "http/cli/answer_fields.hpp"
#include "http/cli/control_commands.hpp"
#include "http/cli/export_file.hpp"
#include "http/cli/text_table.hpp"
#include "schema/config_values.hpp"

#include <fmt/format.h>

#include <optional>
#include <ostream>

namespace weir {

namespace {

using nlohmann::json;

/// Longer than any removal; ends a loop with an admin API that lies.
constexpr size_t requests_max = 10'000'000;

std::string path_of(const removal_order& what, const char* verb) {
  return fmt::format("/_weir/admin/v1/appservices/{}/{}",
                     encode_path_segment(what.appservice), verb);
}

/// Lines of an export, by their type.
struct line_counts {
  int64_t owed = 0;
  int64_t letters = 0;
  int64_t bodies = 0;
};

bool count_line(const json& line, line_counts& counts) {
  const auto type = text_at(line, "type");
  if (type == "owed")
    ++counts.owed;
  else if (type == "dead_letter")
    ++counts.letters;
  else if (type == "quarantined")
    ++counts.bodies;
  else
    return false;
  return true;
}

bool is_all(const line_counts& counts, const json& end) {
  return counts.owed == number_at(end, "owed")
    && counts.letters == number_at(end, "dead_letters")
    && counts.bodies == number_at(end, "quarantined");
}

/// One export, page by page, into a file.
class export_run {
public:
  export_run(const admin_call& call, const removal_order& what,
             std::ostream& err)
    : call_{call},
      what_{what},
      err_{err} {
  }

  /// The mark of what is in the file now; nothing when something went wrong,
  /// which was told.
  std::optional<std::string> run() {
    auto file = export_file::make(what_.file);
    if (!file)
      return told(file.error().context);
    std::string after;
    for (size_t each = 0; each < requests_max; ++each) {
      const auto page = ask(after);
      if (!page)
        return std::nullopt;
      const auto last = take(*page);
      if (!last)
        return told("the answer is no export");
      if (auto done = file.value().write(*page); !done)
        return told(done.error().context);
      if (text_at(*last, "type") == "end")
        return finish(file.value(), *last);
      after = text_at(*last, "next");
      err_ << fmt::format("{} exported, going on\n", exported());
    }
    return told("the export does not end");
  }

  [[nodiscard]] int64_t exported() const {
    return counts_.owed + counts_.letters + counts_.bodies;
  }

private:
  std::optional<std::string> told(const std::string& what) {
    err_ << "not exported, and nothing was deleted: " << printable(what, 500)
         << '\n';
    return std::nullopt;
  }

  std::optional<std::string> ask(const std::string& after) {
    const auto path
      = path_of(what_, "export") + "?after=" + encode_path_segment(after);
    auto answer = call_("GET", path);
    if (answer && answer.value().status == 200)
      return answer.value().body;
    const admin_call again
      = [&answer](std::string_view, std::string_view) { return answer; };
    ask_admin(again, "GET", path, false, err_, err_);
    return std::nullopt;
  }

  /// Counts the lines of a page; its last one, which says how to go on.
  std::optional<json> take(std::string_view page) {
    while (!page.empty()) {
      const auto end = page.find('\n');
      if (end == page.npos)
        return std::nullopt;
      auto line = json::parse(page.substr(0, end), nullptr, false);
      page.remove_prefix(end + 1);
      if (!line.is_object())
        return std::nullopt;
      if (!count_line(line, counts_))
        return page.empty() ? std::optional{std::move(line)} : std::nullopt;
    }
    return std::nullopt;
  }

  std::optional<std::string> finish(export_file& file, const json& end) {
    if (!is_all(counts_, end))
      return told("something came or went meanwhile; try again");
    if (auto done = file.finish(); !done)
      return told(done.error().context);
    return text_at(end, "mark");
  }

  const admin_call& call_;
  const removal_order& what_;
  std::ostream& err_;
  line_counts counts_;
};

/// Deletes page by page. Returns how many rows; nothing when it was refused,
/// which was told.
std::optional<int64_t> delete_all(const admin_call& call,
                                  const removal_order& what,
                                  const std::string& mark, std::ostream& err) {
  const auto by = what.by.empty() ? system_user() : what.by;
  const auto path
    = fmt::format("{}?by={}&mark={}", path_of(what, "remove"),
                  encode_path_segment(by), encode_path_segment(mark));
  int64_t rows = 0;
  for (size_t each = 0; each < requests_max; ++each) {
    const auto answer = ask_admin(call, "POST", path, false, err, err);
    if (!answer) {
      if (rows > 0)
        err << fmt::format("{} rows were deleted, the rest goes by itself\n",
                           rows);
      return std::nullopt;
    }
    rows += number_at(*answer, "rows");
    const auto more = answer->find("more");
    if (more == answer->end() || *more != true)
      return rows;
    err << fmt::format("{} rows deleted, going on\n", rows);
  }
  return rows;
}

} // namespace

int remove_command(const admin_call& call, const removal_order& what, bool raw,
                   std::ostream& out, std::ostream& err) {
  std::string mark;
  int64_t exported = 0;
  if (!what.file.empty()) {
    export_run run{call, what, err};
    const auto found = run.run();
    if (!found)
      return exit_failed;
    mark = *found;
    exported = run.exported();
  }
  const auto rows = delete_all(call, what, mark, err);
  if (!rows)
    return exit_failed;
  if (raw)
    out << json{{"appservice", what.appservice},
                {"exported", exported},
                {"rows", *rows}}
             .dump()
        << '\n';
  else if (what.file.empty())
    out << fmt::format("removed, {} rows\n", *rows);
  else
    out << fmt::format("removed, {} rows; {} elements are in {}\n", *rows,
                       exported, what.file);
  return exit_ok;
}

} // namespace weir
