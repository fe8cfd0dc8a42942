#include "http/cli/command_tree.hpp"
#include "http/cli/realm_commands.hpp"

#include "schema/limits.hpp"

#include <memory>

namespace weir {

namespace {

/// A page, of realms or of the dead letters of one.
struct realm_page_order {
  std::string realm;
  int64_t after = 0;
  uint32_t limit = 100;
};

void add_page_options(CLI::App* command, realm_page_order& page,
                      commands& run) {
  command->add_option("--after", page.after, "As the page before says")
    ->check(whole_number_from(0));
  command->add_option("--limit", page.limit, "Rows at most")
    ->check(CLI::Range(uint32_t{1}, uint32_t{limits::page_rows_max}))
    ->capture_default_str();
  add_json(command, run);
}

void add_listings(CLI::App& under, commands& run) {
  const auto page = std::make_shared<realm_page_order>();
  auto* list = add_command(
    under, run, "list", "Lists realms, a page at a time", [&run, page] {
      return with_admin(run, [&run, page](const admin_call& call) {
        return realms_command(call, page->after, page->limit, run.given.json,
                              run.out, run.err);
      });
    });
  add_page_options(list, *page, run);
  auto* letters = add_command(
    under, run, "dead-letters", "Lists events that some room did not get",
    [&run, page] {
      return with_admin(run, [&run, page](const admin_call& call) {
        return realm_letters_command(call, page->realm, page->after,
                                     page->limit, run.given.json, run.out,
                                     run.err);
      });
    });
  letters->add_option("realm", page->realm, "Its id")->required();
  add_page_options(letters, *page, run);
  auto* explain = add_command(
    under, run, "explain", "Says why a realm's events go as they do",
    [&run, page] {
      return with_admin(run, [&run, page](const admin_call& call) {
        return explain_realm_command(call, page->realm, run.given.json, run.out,
                                     run.err);
      });
    });
  explain->add_option("realm", page->realm, "Its id")->required();
  add_json(explain, run);
}

CLI::App* add_realm_order(CLI::App& under, commands& run,
                          const std::shared_ptr<realm_order>& order,
                          const std::string& what) {
  auto* command = add_command(under, run, order->verb, what, [&run, order] {
    return with_admin(run, [&run, order](const admin_call& call) {
      return realm_order_command(call, *order, run.given.json, run.out,
                                 run.err);
    });
  });
  command->add_option("realm", order->realm, "Its id")->required();
  command->add_option("--by", order->by,
                      "Who is said to have asked; the user of the system");
  add_json(command, run);
  return command;
}

std::shared_ptr<realm_order> order_of(const std::string& verb) {
  auto order = std::make_shared<realm_order>();
  order->verb = verb;
  return order;
}

} // namespace

void add_realm_commands(CLI::App& app, commands& run) {
  auto* realms
    = app.add_subcommand("realms", "Shows realms and what they have queued");
  realms->require_subcommand(1);
  add_listings(*realms, run);
  const auto pause = order_of("pause");
  add_realm_order(*realms, run, pause, "Sends a realm's events no more")
    ->add_option("--reason", pause->reason, "Why, for others to read");
  add_realm_order(*realms, run, order_of("resume"), "Ends a pause");
  const auto again = order_of("redeliver");
  add_realm_order(*realms, run, again, "Sends an event's dead letters again")
    ->add_option("event", again->event_id, "Its id")
    ->required();
}

} // namespace weir
