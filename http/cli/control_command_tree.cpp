#include "http/cli/command_tree.hpp"
#include "http/cli/control_commands.hpp"

#include "schema/limits.hpp"

#include <chrono>
#include <memory>
#include <thread>

namespace weir {

namespace {

constexpr auto which_txn
  = "The id of the one that is meant: pinned in weir explain";

/// A page of a listing, as asked for.
struct page_order {
  int64_t from = 0;
  uint32_t limit = 100;
};

CLI::App* add_page_command(CLI::App& app, commands& run,
                           const std::string& name, const std::string& what,
                           const std::string& from,
                           const std::string& from_what,
                           int (*ask)(const admin_call&, int64_t, uint32_t,
                                      bool, std::ostream&, std::ostream&)) {
  const auto page = std::make_shared<page_order>();
  auto* command = add_command(app, run, name, what, [&run, page, ask] {
    return with_admin(run, [&run, page, ask](const admin_call& call) {
      return ask(call, page->from, page->limit, run.given.json, run.out,
                 run.err);
    });
  });
  command->add_option(from, page->from, from_what)->check(whole_number_from(0));
  command->add_option("--limit", page->limit, "Rows at most")
    ->check(CLI::Range(uint32_t{1}, uint32_t{limits::page_rows_max}))
    ->capture_default_str();
  add_json(command, run);
  return command;
}

/// A command on one queue; `order` is what its options fill.
CLI::App* add_order(CLI::App& app, commands& run,
                    const std::shared_ptr<queue_order>& order,
                    const std::string& what) {
  auto* command = add_command(app, run, order->verb, what, [&run, order] {
    return with_admin(run, [&run, order](const admin_call& call) {
      return queue_order_command(call, *order, run.given.json, run.out,
                                 run.err);
    });
  });
  command->add_option("appservice", order->appservice, "Its id")->required();
  command->add_option("--by", order->by,
                      "Who is said to have asked; the user of the system");
  add_json(command, run);
  return command;
}

std::shared_ptr<queue_order> order_of(const std::string& verb) {
  auto order = std::make_shared<queue_order>();
  order->verb = verb;
  return order;
}

void add_orders(CLI::App& app, commands& run) {
  const auto pause = order_of("pause");
  add_order(app, run, pause,
            "Sends an appservice nothing more until it is resumed")
    ->add_option("--reason", pause->reason, "Why, for others to read");
  add_order(app, run, order_of("resume"), "Ends a pause");
  const auto retry = order_of("retry");
  add_order(app, run, retry, "Tries the pinned transaction now")
    ->add_flag("--force", retry->force,
               "Also when the bridge asked for a pause");
  const auto skip = order_of("skip");
  add_order(app, run, skip,
            "Keeps the pinned transaction as dead letters and goes on")
    ->add_option("txn", skip->txn, which_txn)
    ->required();
  const auto retire = order_of("retire");
  add_order(app, run, retire,
            "Sends what is left of a damaged transaction under another id")
    ->add_option("txn", retire->txn, which_txn)
    ->required();
}

void add_explain(CLI::App& app, commands& run) {
  const auto id = std::make_shared<std::string>();
  auto* command = add_command(
    app, run, "explain", "Says why a queue is as it is and what to do",
    [&run, id] {
      return with_admin(run, [&run, id](const admin_call& call) {
        return explain_command(call, *id, run.given.json, run.out, run.err);
      });
    });
  command->add_option("appservice", *id, "Its id")->required();
  add_json(command, run);
}

void add_drain(CLI::App& app, commands& run) {
  constexpr int64_t default_seconds = 60;
  const auto seconds = std::make_shared<int64_t>(default_seconds);
  auto* command = add_command(
    app, run, "drain", "Has a running Weir finish what is in flight and end",
    [&run, seconds] {
      return with_admin(run, [&run, seconds](const admin_call& call) {
        return drain_command(
          call, std::chrono::seconds{*seconds}, run.given.json,
          [](milliseconds time) { std::this_thread::sleep_for(time); }, run.out,
          run.err);
      });
    });
  command
    ->add_option("--timeout", *seconds, "Seconds to wait for its end at most")
    ->check(CLI::Range(int64_t{1}, int64_t{86'400}))
    ->capture_default_str();
  add_json(command, run);
}

} // namespace

void add_control_commands(CLI::App& app, commands& run) {
  add_page_command(app, run, "queues", "Lists queues, a page at a time",
                   "--after", "The last number of the page before",
                   queues_command);
  add_explain(app, run);
  add_orders(app, run);
  add_page_command(app, run, "commands", "Lists what operators had done",
                   "--before", "The first id of the page behind",
                   commands_command);
  add_drain(app, run);
}

} // namespace weir
