#include "http/matrix_reply.hpp"
#include "http/routes/admin.hpp"
#include "http/routes/admin_json.hpp"
#include "http/routes/control.hpp"
#include "http/routes/listing.hpp"

#include <nlohmann/json.hpp>

// Queues, what operators have done with them, and the end of the process.
namespace weir {

namespace {

/// What is said of a queue that nothing is known of, since the store is away.
queue_view unknown_queue(const std::string& id) {
  queue_view view;
  view.row.id = {id};
  return view;
}

nlohmann::json drain_json(const admin_routes::drain_progress& now) {
  return {{"draining", now.draining}, {"in_flight", now.in_flight}};
}

} // namespace

void admin_routes::queues(const asked_for& what, const reply& answer) {
  const auto request = parse_queues_query(what.query);
  if (!request)
    return answer(error_reply(request.error()));
  house_.queues(
    request.value(),
    [this, answer,
     asked = request.value().rows_max](const expected<queues_page>& page) {
      if (!page)
        return answer(error_reply(page.error()));
      auto list = nlohmann::json::array();
      std::optional<int64_t> next;
      for (const auto& view : page.value().queues)
        list.push_back(
          queue_json(view, page.value().as_of, around(view.row.id.value)));
      if (page.value().queues.size() >= asked)
        next = page.value().queues.back().row.no;
      answer(json_ok(queues_json(std::move(list), next, page.value().as_of)));
    });
}

void admin_routes::queue(const asked_for& what, const reply& answer) {
  const auto path = parse_queue_path(what.path);
  if (!path || (!path->verb.empty() && path->verb != "explain"))
    return answer(unrecognized());
  if (path->verb == "explain")
    return explain(path->id, answer);
  house_.queue(
    {{path->id}}, [this, path, answer](const expected<queues_page>& page) {
      if (!page)
        return answer(error_reply(page.error()));
      if (page.value().queues.empty())
        return answer(matrix_error(404, "M_NOT_FOUND", "No such queue"));
      const auto& view = page.value().queues.front();
      answer(json_ok(
        dumped(queue_json(view, page.value().as_of, around(path->id)))));
    });
}

/// A commit first: of a store that takes none, that is the explanation.
void admin_routes::explain(const std::string& id, const reply& answer) {
  house_.ready([this, id, answer](const expected<stored>& writable) {
    house_.queue({{id}},
                 [this, id, answer, writable = writable.has_value()](
                   const expected<queues_page>& page) {
                   explained(id, answer, writable, page);
                 });
  });
}

void admin_routes::explained(const std::string& id, const reply& answer,
                             bool writable, const expected<queues_page>& page) {
  const bool found = page && !page.value().queues.empty();
  if (!found && !serves(id) && (page || writable))
    return answer(matrix_error(404, "M_NOT_FOUND", "No such queue"));
  const auto view = found ? page.value().queues.front() : unknown_queue(id);
  const auto as_of = page ? page.value().as_of : stored_time{};
  const auto known = around(id);
  auto facts = facts_of(view, known);
  facts.store_writable = writable && page.has_value();
  const auto told = policy::explain(facts);
  answer(json_ok(explain_json(queue_json(view, as_of, known), told, as_of,
                              since_of(told.cause, view))));
}

void admin_routes::command(const asked_for& what, const reply& answer) {
  const auto path = parse_queue_path(what.path);
  if (!path)
    return answer(unrecognized());
  auto command = parse_command(*path, what.query);
  if (!command)
    return answer(command.error().code == ec::not_found
                    ? unrecognized()
                    : error_reply(command.error()));
  house_.command(command.value(),
                 [answer, given = command.value(), known = serves(path->id)](
                   const expected<command_done>& done) {
                   answer(command_reply(given, done, known));
                 });
}

void admin_routes::commands(const asked_for& what, const reply& answer) {
  const auto request = parse_commands_query(what.query);
  if (!request)
    return answer(error_reply(request.error()));
  house_.commands(
    request.value(),
    [answer,
     asked = request.value().rows_max](const expected<commands_page>& page) {
      answer(page ? json_ok(commands_json(page.value().commands, asked))
                  : error_reply(page.error()));
    });
}

void admin_routes::drain(const asked_for& what, const reply& answer) {
  if (!options_.drain || !options_.drain_now)
    return answer(unrecognized());
  if (what.method == "POST")
    options_.drain();
  answer(json_ok(drain_json(options_.drain_now()).dump()));
}

queue_surroundings admin_routes::around(const std::string& id) const {
  const bool named = serves(id);
  return {named, !named || !options_.sends || options_.sends(id),
          options_.is_full && options_.is_full(id)};
}

bool admin_routes::serves(const std::string& id) const {
  return !options_.serves || options_.serves(id);
}

} // namespace weir
