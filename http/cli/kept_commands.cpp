#include "http/cli/kept_commands.hpp"

#include "http/cli/admin_commands.hpp"
#include "http/cli/answer_fields.hpp"
#include "http/cli/control_commands.hpp"
#include "schema/config_values.hpp"
#include "schema/limits.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>

namespace weir {

namespace {

using nlohmann::json;

/// Longer than any list of what is kept; ends a loop with one that lies.
constexpr size_t requests_max = 10'000'000;

bool flag_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

/// One command: requests until nothing of the order is left.
class kept_run {
public:
  kept_run(const admin_call& call, const kept_order& which, std::ostream& out,
           std::ostream& err)
    : call_{call},
      which_{which},
      out_{out},
      err_{err} {
  }

  bool named() {
    const auto& ids = which_.ids;
    for (size_t at = 0; at < ids.size(); at += limits::kept_changed_max) {
      const auto end = std::min(ids.size(), at + limits::kept_changed_max);
      std::string query;
      for (auto each = at; each < end; ++each)
        query += fmt::format("&id={}", ids[each]);
      if (!ask(query))
        return false;
      if (end < ids.size())
        tell_progress();
    }
    return true;
  }

  bool all_of_one() {
    int64_t after = 0;
    int64_t until = 0;
    for (size_t each = 0; each < requests_max; ++each) {
      const auto page = ask(fmt::format("&appservice={}&after={}&until={}",
                                        encode_path_segment(which_.appservice),
                                        after, until));
      if (!page)
        return false;
      more_ = flag_at(*page, "more");
      if (!more_ || !which_.all || number_at(*page, "after") <= after)
        return true;
      after = number_at(*page, "after");
      until = number_at(*page, "until");
      tell_progress();
    }
    return true;
  }

  void tell(bool raw, bool whole) const {
    if (raw) {
      out_
        << json{{"done", done_}, {"missing", missing_}, {"more", more_}}.dump()
        << '\n';
      return;
    }
    if (!whole && done_ == 0)
      return;
    out_ << fmt::format("{} {}", done_, which_.done_word);
    if (missing_ > 0)
      out_ << fmt::format(", {} not found", missing_);
    out_ << (more_ && whole ? ", there are more: --all\n" : "\n");
  }

private:
  /// What a refusal tells of how far it came counts too.
  std::optional<json> ask(const std::string& query) {
    json heard = json::object();
    const admin_call listening
      = [&](std::string_view method,
            std::string_view path) -> expected<admin_answer> {
      WEIR_TRY(auto answer, call_(method, path));
      heard = json::parse(answer.body, nullptr, false);
      return answer;
    };
    auto answer
      = ask_admin(listening, "POST",
                  fmt::format("/_weir/admin/v1/{}?by={}{}", which_.path,
                              encode_path_segment(asker()), query),
                  false, out_, err_);
    if (heard.is_object()) {
      done_ += number_at(heard, "done");
      missing_ += number_at(heard, "missing");
      more_ = flag_at(heard, "more");
    }
    return answer;
  }

  [[nodiscard]] std::string asker() const {
    return which_.by.empty() ? system_user() : which_.by;
  }

  void tell_progress() {
    err_ << fmt::format("{} {}, going on\n", done_, which_.done_word);
  }

  const admin_call& call_;
  const kept_order& which_;
  std::ostream& out_;
  std::ostream& err_;
  int64_t done_ = 0;
  int64_t missing_ = 0;
  bool more_ = false;
};

} // namespace

bool names_any(const kept_order& which, std::ostream& err) {
  if (which.ids.empty() != which.appservice.empty())
    return true;
  err << "name them by their ids, or --appservice\n";
  return false;
}

int change_kept_command(const admin_call& call, const kept_order& which,
                        bool raw, std::ostream& out, std::ostream& err) {
  kept_run run{call, which, out, err};
  const bool done = which.ids.empty() ? run.all_of_one() : run.named();
  run.tell(raw, done);
  return done ? exit_ok : exit_failed;
}

} // namespace weir
