#include "http/cli/command_tree.hpp"
#include "http/cli/kept_commands.hpp"
#include "http/cli/removal_commands.hpp"

#include "schema/limits.hpp"

#include <memory>

namespace weir {

namespace {

using list_function = int (*)(const admin_call&, const kept_filter&, bool,
                              std::ostream&, std::ostream&);

/// `list` of one kind.
void add_list(CLI::App& under, commands& run, list_function ask) {
  const auto filter = std::make_shared<kept_filter>();
  auto* list
    = add_command(under, run, "list", "Lists one page", [&run, filter, ask] {
        return with_admin(run, [&run, filter, ask](const admin_call& call) {
          return ask(call, *filter, run.given.json, run.out, run.err);
        });
      });
  list->add_option("--appservice", filter->appservice,
                   "Only of this appservice");
  list->add_option("--after", filter->after, "The last id of the page before")
    ->check(whole_number_from(0));
  list->add_option("--limit", filter->limit, "Rows at most")
    ->check(CLI::Range(uint32_t{1}, uint32_t{limits::page_rows_max}))
    ->capture_default_str();
  add_json(list, run);
}

/// A command that changes what is kept; `order` says what and how.
void add_change(CLI::App& under, commands& run, const std::string& name,
                const std::string& what, kept_order given) {
  const auto order = std::make_shared<kept_order>(std::move(given));
  auto* change = add_command(under, run, name, what, [&run, order]() -> int {
    if (!names_any(*order, run.err))
      return exit_usage;
    return with_admin(run, [&run, order](const admin_call& call) {
      return change_kept_command(call, *order, run.given.json, run.out,
                                 run.err);
    });
  });
  change->add_option("ids", order->ids, "Their ids")
    ->check(whole_number_from(1));
  auto* of = change->add_option("--appservice", order->appservice,
                                "The oldest of this appservice");
  change->add_flag("--all", order->all, "All of them")->needs(of);
  change->add_option("--by", order->by,
                     "Who is said to have asked; the user of the system");
  add_json(change, run);
}

void add_dead_letters(CLI::App& app, commands& run) {
  auto* letters
    = app.add_subcommand("dead-letters", "Shows what bridges refused for good");
  letters->require_subcommand(1);
  add_list(*letters, run, list_dead_letters_command);
  const auto id = std::make_shared<int64_t>(0);
  auto* show
    = add_command(*letters, run, "show", "Shows one whole", [&run, id] {
        return with_admin(run, [&run, id](const admin_call& call) {
          return show_dead_letter_command(call, *id, run.given.json, run.out,
                                          run.err);
        });
      });
  show->add_option("id", *id, "Its id")
    ->required()
    ->check(whole_number_from(0));
  add_json(show, run);
  add_change(*letters, run, "replay",
             "Sends them again, behind all that is owed",
             {"dead-letters/replay", "put back", {}, {}, false, {}});
  add_change(*letters, run, "drop", "Deletes them for good",
             {"dead-letters/drop", "dropped", {}, {}, false, {}});
}

void add_quarantine(CLI::App& app, commands& run) {
  auto* bodies = app.add_subcommand(
    "quarantine", "Shows what homeservers sent that is no transaction");
  bodies->require_subcommand(1);
  add_list(*bodies, run, list_quarantine_command);
  const auto view = std::make_shared<quarantined_view>();
  auto* show = add_command(*bodies, run, "show", "Shows one", [&run, view] {
    return with_admin(run, [&run, view](const admin_call& call) {
      return show_quarantined_command(call, *view, run.given.json, run.out,
                                      run.err);
    });
  });
  show->add_option("id", view->id, "Its id")
    ->required()
    ->check(whole_number_from(0));
  show->add_flag("--raw", view->raw, "Its bytes as they came, nothing else");
  add_json(show, run);
  add_change(*bodies, run, "drop", "Deletes them for good",
             {"quarantine/drop", "dropped", {}, {}, false, {}});
}

void add_remove(CLI::App& app, commands& run) {
  const auto order = std::make_shared<removal_order>();
  auto* remove = add_command(
    app, run, "remove",
    "Deletes what is kept of an appservice that is not configured any more",
    [&run, order] {
      return with_admin(run, [&run, order](const admin_call& call) {
        return remove_command(call, *order, run.given.json, run.out, run.err);
      });
    });
  remove->add_option("appservice", order->appservice, "Its id")->required();
  remove->add_option("--export", order->file,
                     "Writes all of it to this file first");
  remove->add_option("--by", order->by,
                     "Who is said to have asked; the user of the system");
  add_json(remove, run);
}

} // namespace

void add_kept_commands(CLI::App& app, commands& run) {
  add_dead_letters(app, run);
  add_quarantine(app, run);
  add_remove(app, run);
}

} // namespace weir
