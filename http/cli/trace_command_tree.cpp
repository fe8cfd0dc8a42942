#include "http/cli/command_tree.hpp"

namespace weir {

namespace {

/// A command on a file of a trace; needs no running Weir.
CLI::App* add_trace_file_command(CLI::App& app, commands& run,
                                 const std::string& name,
                                 const std::string& what,
                                 std::function<int()> action) {
  auto* command = app.add_subcommand(name, what);
  command->add_option("file", run.given.trace_file, "The trace")->required();
  command->add_option("--actor", run.given.trace.actors,
                      "Only of this actor: NAME, NAME* or NAME#2; repeatable");
  command->callback(
    [&run, action = std::move(action)] { run.chosen = action; });
  return command;
}

void add_span(CLI::App* command, commands& run) {
  command->add_option("--from", run.given.trace.from,
                      "From this time on, since the first record: 90s, 15m");
  command->add_option("--to", run.given.trace.to, "Up to this time, likewise");
}

void add_trace_file_commands(CLI::App& traces, commands& run) {
  auto& given = run.given;
  auto* show = add_trace_file_command(
    traces, run, "show", "Shows a trace as a timeline", [&run, &given] {
      return show_trace_command(given.trace_file, given.trace, given.json,
                                run.out, run.err);
    });
  add_span(show, run);
  show->add_option(
    "--id", given.trace.id,
    "Only records that hold this text, such as a transaction id");
  add_json(show, run);
  auto* cut = add_trace_file_command(
    traces, run, "cut", "Cuts out what one actor needs to be replayed",
    [&run, &given] {
      return cut_trace_command(given.trace_file, given.trace, given.out_folder,
                               run.out, run.err);
    });
  add_span(cut, run);
  cut->add_option("--out", given.out_folder, "The file to write to");
  add_trace_file_command(
    traces, run, "replay",
    "Lets fresh actors handle a trace again and compares what they do",
    [&run, &given] {
      return replay_trace_command(given.trace_file, given.trace, run.out,
                                  run.err);
    });
}

} // namespace

void add_trace_commands(CLI::App& app, commands& run) {
  auto* traces
    = app.add_subcommand("trace", "Records, shows and replays what actors do");
  traces->require_subcommand(1);
  add_trace_file_commands(*traces, run);
  auto* start = add_command(
    *traces, run, "start", "Begins a trace in a running Weir", [&run] {
      return with_admin(run, [&run](const admin_call& call) {
        return start_trace_command(call, run.given.order, run.given.json,
                                   run.out, run.err);
      });
    });
  start->add_option("--actor", run.given.order.actors,
                    "Only of this actor: NAME or NAME*; repeatable");
  start->add_flag("--with-content", run.given.order.with_content,
                  "Also writes event bodies and tokens");
  add_json(start, run);
  auto* stop = add_command(*traces, run, "stop", "Ends it", [&run] {
    return with_admin(run, [&run](const admin_call& call) {
      return stop_trace_command(call, run.given.json, run.out, run.err);
    });
  });
  add_json(stop, run);
  auto* status = add_command(
    *traces, run, "status", "Tells whether a trace is written", [&run] {
      return with_admin(run, [&run](const admin_call& call) {
        return trace_status_command(call, run.given.json, run.out, run.err);
      });
    });
  add_json(status, run);
}

} // namespace weir
