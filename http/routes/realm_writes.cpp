#include "http/matrix_reply.hpp"
#include "http/routes/realm_errands.hpp"
#include "http/routes/realms.hpp"
#include "schema/realm_submission.hpp"

// What of the producer API changes something.
namespace weir {

void realm_routes::submit(const asked_for& what, const std::string& body,
                          const reply& answer) {
  auto read = read_realm_submission(body, false);
  if (!read) {
    ++counts_->malformed;
    return answer(error_reply(read.error()));
  }
  submit_realm_events request;
  request.realm = what.to.realm;
  request.account = options_.account;
  request.bounds = options_.bounds;
  request.offers.push_back(
    offer_of(std::move(read.value()), draw_event_id(options_.random)));
  request.offers.front().key = what.to.item;
  door_.submit(
    std::move(request),
    [answer,
     with = tools_of(what)](const expected<realm_offers_answered>& result) {
      if (!result) {
        ++with.counts->failed;
        return answer(write_failed(result.error()));
      }
      const auto& told = result.value();
      const auto& one = told.taken.offers.front();
      count_offer(*with.counts, one.result);
      answer(offer_reply(answer_of(one, {told.realm_again, told.all_again},
                                   with.token_of(told.taken.at))));
    });
}

void realm_routes::submit_bulk(const asked_for& what, const std::string& body,
                               const reply& answer) {
  auto lines
    = read_bulk(body, [this] { return draw_event_id(options_.random); });
  if (!lines) {
    ++counts_->malformed;
    return answer(error_reply(lines.error()));
  }
  submit_all(
    {tools_of(what), options_.account, options_.bounds, what.by->realms},
    std::move(lines.value()), answer);
}

void realm_routes::change_rooms(const asked_for& what, audience_change change,
                                const reply& answer) {
  change_realm_audience request;
  request.realm = what.to.realm;
  request.account = options_.account;
  request.add = std::move(change.add);
  request.remove = std::move(change.remove);
  request.if_version = what.if_version;
  change_until_done(tools_of(what), std::move(request), answer);
}

void realm_routes::replace_rooms(const asked_for& what,
                                 std::vector<room_id> rooms,
                                 const reply& answer) {
  replace_realm_audience request;
  request.realm = what.to.realm;
  request.account = options_.account;
  request.rooms = shared{std::move(rooms)};
  request.if_version = what.if_version;
  request.mark = draw_event_id(options_.random);
  replace_until_done(tools_of(what), std::move(request), answer);
}

void realm_routes::cancel(const asked_for& what, const reply& answer) {
  door_.cancel(
    {what.to.realm, what.to.item, {}},
    [answer,
     with = tools_of(what)](const expected<realm_event_cancelled>& done) {
      if (!done)
        return answer(write_failed(done.error()));
      answer(cancelled_reply(done.value(), with.token_of(done.value().at)));
    });
}

void realm_routes::redeliver(const asked_for& what, const reply& answer) {
  redeliver_all(tools_of(what), {what.to.realm, what.to.item, {}, {}}, answer);
}

} // namespace weir
