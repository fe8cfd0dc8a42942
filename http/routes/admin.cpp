#include "http/routes/admin.hpp"

#include "http/auth.hpp"
#include "http/matrix_reply.hpp"
#include "http/routes/admin_json.hpp"
#include "http/routes/letters.hpp"
#include "http/routes/quarantine.hpp"
#include "http/routes/realm_admin.hpp"
#include "http/routes/removal.hpp"
#include "http/routes/trace.hpp"
#include "schema/log.hpp"

#include <array>
#include <charconv>
#include <memory>

namespace weir {

namespace {

const logger log_{"admin"};

constexpr std::string_view prefix = "/_weir/admin/v1";

template <class Act>
body_wish later(Act act) {
  body_wish wish;
  wish.answer = [act = std::move(act)](reply answer) { act(answer); };
  return wish;
}

http_response text_page(std::string body) {
  http_response response;
  response.fields = {{"Content-Type", "text/plain; version=0.0.4"}};
  response.body = std::move(body);
  return response;
}

} // namespace

admin_routes::admin_routes(house& door, options settings)
  : house_{door},
    options_{std::move(settings)} {
}

/// Every path of the API behind its prefix. One that ends in '/' stands for all
/// that begin with it.
std::span<const admin_routes::entry> admin_routes::entries() {
  using r = admin_routes;
  static constexpr std::array table{
    entry{"GET", "/status", &r::status},
    entry{"GET", "/dead-letters", &r::dead_letters},
    entry{"POST", "/dead-letters/replay", &r::change_letters},
    entry{"POST", "/dead-letters/drop", &r::change_letters},
    entry{"GET", "/dead-letters/", &r::dead_letter},
    entry{"GET", "/appservices/", &r::appservice},
    entry{"POST", "/appservices/", &r::appservice},
    entry{"GET", "/quarantine", &r::quarantine},
    entry{"POST", "/quarantine/drop", &r::drop_quarantined},
    entry{"GET", "/quarantine/", &r::quarantined},
    entry{"POST", "/reload", &r::reload},
    entry{"GET", "/queues", &r::queues},
    entry{"GET", "/queues/", &r::queue},
    entry{"POST", "/queues/", &r::command},
    entry{"GET", "/commands", &r::commands},
    entry{"GET", "/realms", &r::realms},
    entry{"GET", "/realms/", &r::realm},
    entry{"POST", "/realms/", &r::order_realm},
    entry{"GET", "/drain", &r::drain},
    entry{"POST", "/drain", &r::drain},
    entry{"GET", "/trace", &r::trace},
    entry{"POST", "/trace/start", &r::trace},
    entry{"POST", "/trace/stop", &r::trace},
  };
  return table;
}

body_wish admin_routes::handle(const request_head& head) {
  const auto path = head.path();
  if (auto page = page_for_anybody(head, house_))
    return std::move(*page);
  const auto given = read_credentials(head);
  const bool may_act = check_token(given, options_.token).has_value();
  const bool allowed = may_act
    || (!options_.viewer_token.empty()
        && check_token(given, options_.viewer_token));
  if (!allowed)
    return refuse_token(head);
  static constexpr entry metrics_page{"GET", "/metrics",
                                      &admin_routes::metrics};
  if (path == metrics_page.path && !fits(metrics_page, head.method))
    return answer_at_once(wrong_method("GET, HEAD"));
  if (path == metrics_page.path)
    return answer_by(metrics_page, head, {}, may_act);
  if (!path.starts_with(prefix))
    return answer_at_once(unrecognized());
  const auto what = path.substr(prefix.size());
  std::vector<const entry*> known;
  for (const auto& one : entries())
    if (one.path.ends_with('/') ? what.starts_with(one.path) : what == one.path)
      known.push_back(&one);
  for (const auto* one : known)
    if (fits(*one, head.method))
      return answer_by(*one, head, what, may_act);
  return known.empty() ? answer_at_once(unrecognized()) : refuse_method(known);
}

body_wish admin_routes::refuse_token(const request_head& head) {
  ++unauthorised_;
  log_.warn("request with a wrong token remote={} path={}", head.remote,
            head.path());
  return answer_at_once(matrix_error(403, "M_FORBIDDEN", "Bad token supplied"));
}

body_wish admin_routes::refuse_method(std::span<const entry* const> known) {
  std::string allowed;
  for (const auto* one : known)
    allowed += (allowed.empty() ? "" : ", ")
      + (one->method == "GET" ? std::string{"GET, HEAD"}
                              : std::string{one->method});
  return answer_at_once(wrong_method(allowed));
}

body_wish admin_routes::answer_by(const entry& one, const request_head& head,
                                  std::string_view what, bool may_act) {
  if (one.method != "GET" && !may_act)
    return answer_at_once(matrix_error(403, "M_FORBIDDEN",
                                       "A viewer may only read: this wants the "
                                       "admin token"));
  return later([this, act = one.act,
                asked = asked_for{head.method, std::string{what},
                                  std::string{head.query()}}](
                 const reply& answer) { (this->*act)(asked, answer); });
}

void admin_routes::trace(const asked_for& what, const reply& answer) {
  if (!options_.trace)
    return answer(unrecognized());
  answer(trace_reply(*options_.trace, options_.trace_defaults, what.method,
                     what.path, what.query));
}

void admin_routes::reload(const asked_for&, const reply& answer) {
  if (!options_.reload)
    return answer(unrecognized());
  options_.reload([answer](const reload_report& report) {
    answer(json_reply(report.applied ? 200 : 400, reload_json(report)));
  });
}

/// Page by page, each its own snapshot; bounded by the configured appservices.
void admin_routes::next_queues(
  const std::shared_ptr<std::vector<queue_view>>& so_far, int64_t after,
  const told_queues& done) {
  house_.queues({after, limits::page_rows_max},
                [this, so_far, done](const expected<queues_page>& page) {
                  if (!page)
                    return done(fail(page.error()), {});
                  const auto& rows = page.value().queues;
                  so_far->insert(so_far->end(), rows.begin(), rows.end());
                  if (rows.size() < limits::page_rows_max)
                    return done(std::move(*so_far), page.value().as_of);
                  next_queues(so_far, rows.back().row.no, done);
                });
}

void admin_routes::all_queues(const told_queues& done) {
  next_queues(std::make_shared<std::vector<queue_view>>(), 0, done);
}

void admin_routes::status(const asked_for&, const reply& answer) {
  all_queues([this, answer](const expected<std::vector<queue_view>>& queues,
                            stored_time as_of) {
    if (!queues)
      return answer(error_reply(queues.error()));
    answer(
      json_ok(status_json(queues.value(), as_of, [this](const std::string& id) {
        return around(id);
      })));
  });
}

void admin_routes::metrics(const asked_for&, const reply& answer) {
  const auto tell = [this, answer](stored_figures found) {
    auto page = [this, answer, found = std::move(found)] {
      answer(text_page(options_.metrics(found)));
    };
    options_.elsewhere ? options_.elsewhere(std::move(page)) : page();
  };
  scrape_store(house_, {options_.serves, options_.sending_for}, tell);
}

void admin_routes::dead_letters(const asked_for& what, const reply& answer) {
  const auto request = parse_dead_letters_query(what.query);
  if (!request)
    return answer(error_reply(request.error()));
  house_.dead_letters(
    request.value(),
    [answer, asked = request.value().rows_max](
      const expected<dead_letters_page>& page) {
      answer(page ? json_ok(dead_letters_json(page.value().letters, asked))
                  : error_reply(page.error()));
    });
}

void admin_routes::dead_letter(const asked_for& what, const reply& answer) {
  const auto id = what.last_segment();
  int64_t number = 0;
  const auto parsed = std::from_chars(id.data(), id.data() + id.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr != id.data() + id.size())
    return answer(matrix_error(400, "M_INVALID_PARAM",
                               "A dead letter's id is a whole number"));
  house_.dead_letter(
    {number}, [answer](const expected<dead_letters_page>& page) {
      if (!page)
        return answer(error_reply(page.error()));
      if (page.value().letters.empty())
        return answer(matrix_error(404, "M_NOT_FOUND", "No such dead letter"));
      answer(json_ok(dead_letter_json(page.value().letters.front())));
    });
}

void admin_routes::change_letters(const asked_for& what, const reply& answer) {
  auto change = parse_kept_change(what.query);
  if (!change)
    return answer(error_reply(change.error()));
  if (what.last_segment() == "drop")
    return drop_reply(house_, std::move(change.value()), answer);
  replay_reply(house_, {options_.serves, options_.bounds_of},
               std::move(change.value()), answer);
}

void admin_routes::appservice(const asked_for& what, const reply& answer) {
  const auto path = parse_appservice_path(what.path);
  const std::string_view verb = what.method == "POST" ? "remove" : "export";
  if (!path || path->verb != verb)
    return answer(unrecognized());
  if (verb == "export")
    return export_reply(house_, *path, what.query, answer);
  remove_reply(house_, *path, what.query, options_.serves, answer);
}

void admin_routes::realms(const asked_for& what, const reply& answer) {
  realms_page_reply(house_.realms(), what.query, answer);
}

void admin_routes::realm(const asked_for& what, const reply& answer) {
  realm_reply(house_.realms(), what.path, what.query, answer);
}

void admin_routes::order_realm(const asked_for& what, const reply& answer) {
  realm_order_reply(house_.realms(), what.path, what.query, answer);
}

void admin_routes::quarantine(const asked_for& what, const reply& answer) {
  quarantine_reply(house_, what.query, answer);
}

void admin_routes::quarantined(const asked_for& what, const reply& answer) {
  quarantined_reply(house_, what.path, answer);
}

void admin_routes::drop_quarantined(const asked_for& what,
                                    const reply& answer) {
  auto change = parse_kept_change(what.query);
  if (!change)
    return answer(error_reply(change.error()));
  drop_bodies_reply(house_, std::move(change.value()), answer);
}

std::optional<body_wish> page_for_anybody(const request_head& head,
                                          house& door) {
  const auto path = head.path();
  if (path != "/health" && path != "/ready")
    return std::nullopt;
  if (head.method != "GET" && head.method != "HEAD")
    return answer_at_once(wrong_method("GET, HEAD"));
  if (path == "/health")
    return answer_at_once(json_ok("{\"status\":\"ok\"}"));
  return later([&door](const reply& answer) {
    door.ready([answer](const expected<stored>& committed) {
      if (committed)
        return answer(json_ok("{\"status\":\"ready\"}"));
      answer(matrix_error(503, "ORG.WEIR.NOT_READY",
                          "The store takes no writes: "
                            + to_string(committed.error())));
    });
  });
}

} // namespace weir
