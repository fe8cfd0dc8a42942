#include "http/routes/realms.hpp"

#include "actors/policy/catch_up.hpp"
#include "http/matrix_reply.hpp"
#include "http/query.hpp"
#include "http/routes/realm_errands.hpp"
#include "schema/log.hpp"
#include "schema/realm_limits.hpp"
#include "schema/realm_pattern.hpp"

#include <algorithm>

namespace weir {

namespace {

using namespace std::chrono_literals;

const logger log_{"producers"};

constexpr std::string_view base32 = "abcdefghijklmnopqrstuvwxyz234567";

bool has_body(realm_act what) {
  switch (what) {
  case realm_act::submit:
  case realm_act::bulk:
  case realm_act::replace_rooms:
  case realm_act::change_rooms: return true;
  default: return false;
  }
}

bool is_read(realm_act what) {
  return what == realm_act::read_event || what == realm_act::list_rooms
    || what == realm_act::status;
}

/// `"7"` or `7`.
expected<std::optional<uint64_t>> if_match(const request_head& head) {
  for (const auto& field : head.fields) {
    if (!same_field_name(field.name, "if-match"))
      continue;
    std::string_view text{field.value};
    if (text.size() > 1 && text.front() == '"' && text.back() == '"')
      text = text.substr(1, text.size() - 2);
    WEIR_TRY(const auto version, whole_number("If-Match", text));
    return std::optional{static_cast<uint64_t>(version)};
  }
  return std::optional<uint64_t>{};
}

/// What an answer that may wait is allowed: no more than asked for, and no more
/// than the bound.
milliseconds wait_within(std::optional<int64_t> asked, milliseconds most) {
  return std::min(milliseconds{asked.value_or(most.count())}, most);
}

/// One with a good signature that the store does not know is lost data, or a
/// fault of ours: a person should hear of it (T9).
http_response token_refused(producer_counts& counts, const std::string& by,
                            token_refusal why) {
  ++counts.tokens_refused;
  if (answer_to(why).alarming)
    log_.error("stream token of another history by={} why={} action=was an "
               "older copy of the database put back, or did a failover lose "
               "commits",
               by, to_string(why));
  return token_reply(why);
}

} // namespace

std::shared_ptr<const served_producers>
make_producers(std::vector<producer_options> all) {
  auto made = std::make_shared<served_producers>();
  made->all = std::move(all);
  for (const auto& each : made->all)
    made->tokens.push_back({each.token, false});
  return made;
}

std::string draw_event_id(const std::function<uint64_t()>& random) {
  std::string id = "we_";
  for (const int characters : {13, 13})
    for (auto bits = random(), at = uint64_t{0};
         at < static_cast<uint64_t>(characters); ++at, bits >>= 5)
      id.push_back(base32[bits & 31]);
  return id;
}

http_response write_failed(const error& why) {
  if (why.code != ec::unavailable && why.code != ec::in_doubt)
    return error_reply(why);
  return wait_reply(503, "ORG.WEIR.UNAVAILABLE",
                    "the store did not answer: it was done or was not; send "
                    "the same again",
                    5s);
}

void count_offer(producer_counts& into, offer_result how) {
  switch (how) {
  case offer_result::queued: ++into.queued; break;
  case offer_result::merged: ++into.merged; break;
  case offer_result::replayed: ++into.replayed; break;
  case offer_result::key_reused: ++into.key_reused; break;
  case offer_result::too_large: ++into.too_large; break;
  case offer_result::realm_full: ++into.realm_full; break;
  case offer_result::all_full: ++into.all_full; break;
  case offer_result::held: ++into.held; break;
  }
}

realm_routes::realm_routes(const realm_door& door, options settings)
  : door_{door},
    options_{std::move(settings)},
    counts_{std::make_shared<producer_counts>()} {
}

bool realm_routes::is_meant(const request_head& head) {
  const auto path = head.path();
  return path.starts_with("/_weir/v1/realms/")
    || path.starts_with("/_weir/v1/events/") || path == "/_weir/v1/outcomes";
}

void realm_routes::use(std::shared_ptr<const served_producers> now) {
  const std::lock_guard guard{mutex_};
  options_.producers = std::move(now);
}

body_wish realm_routes::refuse(std::atomic<uint64_t>& reason,
                               http_response response) {
  ++reason;
  return answer_at_once(std::move(response));
}

body_wish realm_routes::handle(const request_head& head) {
  ++counts_->requests;
  std::shared_ptr<const served_producers> among;
  {
    const std::lock_guard guard{mutex_};
    among = options_.producers;
  }
  const auto given = read_credentials(head);
  if (!given.header)
    return refuse(counts_->unauthorised,
                  matrix_error(401, "M_MISSING_TOKEN", "Missing access token"));
  const auto index = find_by_token(given, among->tokens);
  if (!index) {
    log_.warn("request with a wrong token remote={}", head.remote);
    return refuse(
      counts_->unauthorised,
      matrix_error(401, "M_UNKNOWN_TOKEN", "This is no producer's token"));
  }
  asked_for what;
  what.by = producer{among, &among->all[index.value()]};
  auto to = classify_realm(head.method, head.target);
  auto query = parse_realm_query(head.query());
  auto version = if_match(head);
  for (const auto* wrong :
       {to ? nullptr : &to.error(), query ? nullptr : &query.error(),
        version ? nullptr : &version.error()})
    if (wrong != nullptr)
      return refuse(counts_->malformed, error_reply(*wrong));
  what.to = std::move(to.value());
  what.query = std::move(query.value());
  what.if_version = version.value();
  if (what.to.act == realm_act::unknown)
    return refuse(counts_->malformed,
                  what.to.allow.empty() ? unrecognized()
                                        : wrong_method(what.to.allow));
  if (!what.to.realm.value.empty()
      && !matches_any(what.by->realms, what.to.realm))
    return refuse(
      counts_->forbidden,
      matrix_error(403, "M_FORBIDDEN", "This producer may not use this realm"));
  return wish_for(std::move(what));
}

errand_tools realm_routes::tools_of(const asked_for& what) const {
  return {door_, options_.tokens, counts_, what.principal()};
}

body_wish realm_routes::wish_for(asked_for what) {
  body_wish wish;
  if (!has_body(what.to.act)) {
    wish.answer = [this, what = std::move(what)](reply answer) {
      if (is_read(what.to.act))
        answer_read(what, answer);
      else if (what.to.act == realm_act::outcomes)
        read_outcomes(what, answer);
      else
        act(what, answer);
    };
    return wish;
  }
  wish.body_bytes_max = limits::bulk_bytes_max;
  wish.hold = limits::realm_hold;
  wish.take = [this, what = std::move(what)](const std::string& body,
                                             const reply& answer) {
    take(what, body, answer);
  };
  return wish;
}

void realm_routes::answer_read(const asked_for& what, const reply& answer) {
  read_realm request;
  request.what.realm = what.to.realm;
  request.what.after = what.query.from;
  request.what.rows_max = what.query.rows_max != 0 ? what.query.rows_max
                                                   : limits::feed_page_default;
  request.what.event_id
    = what.to.act == realm_act::read_event ? what.to.item : std::string{};
  request.what.with_sends = what.to.act == realm_act::read_event;
  request.what.with_rooms = what.to.act == realm_act::list_rooms;
  request.what.with_status = what.to.act == realm_act::status;
  request.by = {what.principal(), "realm", {}, what.query.after};
  read_patience patience;
  patience.token = policy::read_wait(
    what.query.wait_ms ? std::optional{milliseconds{*what.query.wait_ms}}
                       : std::nullopt);
  if (what.query.until_settled)
    patience.news = wait_within(what.query.timeout_ms, limits::realm_wait_max);
  const auto told = [this, what, answer,
                     counts = counts_](const expected<realm_answer>& found) {
    if (!found)
      return answer(read_failed(*counts, found.error()));
    if (const auto why = found.value().how.refused)
      return answer(token_refused(*counts, what.principal(), *why));
    if (what.to.act == realm_act::read_event)
      return answer(event_reply(found.value()));
    if (what.to.act == realm_act::list_rooms)
      return answer(rooms_reply(what.to.realm, found.value()));
    status_with_pace(door_, what.to.realm, found.value(), answer);
  };
  door_.read(std::move(request), patience, told);
}

void realm_routes::read_outcomes(const asked_for& what, const reply& answer) {
  read_feed request;
  request.realms = what.by->realms;
  request.rows_max = what.query.rows_max != 0 ? what.query.rows_max
                                              : limits::feed_page_default;
  request.by
    = {what.principal(), "outcomes", what.query.since, what.query.after};
  read_patience patience;
  patience.token = policy::read_wait(
    what.query.wait_ms ? std::optional{milliseconds{*what.query.wait_ms}}
                       : std::nullopt);
  patience.news
    = wait_within(what.query.timeout_ms.value_or(0), limits::realm_wait_max);
  door_.read(std::move(request), patience,
             [answer, counts = counts_,
              by = what.principal()](const expected<feed_answer>& page) {
               if (!page)
                 return answer(read_failed(*counts, page.error()));
               if (const auto why = page.value().how.refused)
                 return answer(token_refused(*counts, by, *why));
               answer(feed_reply(page.value()));
             });
}

void realm_routes::act(const asked_for& what, const reply& answer) {
  switch (what.to.act) {
  case realm_act::add_room:
  case realm_act::remove_room: {
    audience_change change;
    auto& rooms
      = what.to.act == realm_act::add_room ? change.add : change.remove;
    rooms.push_back({what.to.item});
    if (!is_room_id(what.to.item))
      return answer(matrix_error(400, "M_INVALID_PARAM",
                                 "A room id begins with ! and has at most 255 "
                                 "bytes"));
    return change_rooms(what, std::move(change), answer);
  }
  case realm_act::cancel: return cancel(what, answer);
  case realm_act::redeliver: return redeliver(what, answer);
  default: return answer(unrecognized());
  }
}

void realm_routes::take(const asked_for& what, const std::string& body,
                        const reply& answer) {
  if (what.to.act == realm_act::submit)
    return submit(what, body, answer);
  if (what.to.act == realm_act::bulk)
    return submit_bulk(what, body, answer);
  const auto refused = [&](const error& why) {
    ++counts_->malformed;
    answer(error_reply(why));
  };
  if (what.to.act == realm_act::change_rooms) {
    auto change = read_audience_change(body);
    if (!change)
      return refused(change.error());
    return change_rooms(what, std::move(change.value()), answer);
  }
  auto rooms = read_audience(body);
  if (!rooms)
    return refused(rooms.error());
  replace_rooms(what, std::move(rooms.value()), answer);
}

} // namespace weir
