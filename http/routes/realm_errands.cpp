#include "http/routes/realm_errands.hpp"

#include "http/matrix_reply.hpp"
#include "http/routes/listing.hpp"
#include "schema/realm_pattern.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <mutex>

namespace weir {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

json pace_json(const pace_view& now) {
  auto slow = json::array();
  for (const auto& room : now.slow_rooms)
    slow.push_back(room.value);
  return {{"limited_by", policy::to_string(now.limited_by)},
          {"paused_for_ms", now.paused_for.count()},
          {"in_flight", now.in_flight},
          {"slow_rooms", std::move(slow)},
          {"homeserver_held", now.homeserver_held}};
}

/// One bulk request. Its realms are answered on threads of the actors, in any
/// order; it lives in their continuations.
class bulk_work : public std::enable_shared_from_this<bulk_work> {
public:
  bulk_work(bulk_errand how, bulk_lines lines, reply answer)
    : how_{std::move(how)},
      lines_{std::move(lines)},
      answer_{std::move(answer)},
      open_{lines_.size()} {
  }

  void begin() {
    if (lines_.empty())
      return finish();
    // What is answered at once could end it before all have begun.
    for (const auto& [realm, lines] : lines_) {
      if (matches_any(how_.may_use, realm))
        next_commit(realm, 0, false);
      else
        refuse_all(realm, lines);
    }
  }

private:
  void next_commit(const realm_id& realm, size_t first, bool held) {
    const auto& lines = lines_.at(realm);
    if (first >= lines.size())
      return realm_over();
    const auto count = lines_of_commit(lines, first);
    submit_realm_events request;
    request.realm = realm;
    request.account = how_.account;
    request.bounds = how_.bounds;
    request.held = held;
    for (size_t at = first; at < first + count; ++at)
      request.offers.push_back(lines[at].offer);
    how_.with.door.submit(std::move(request),
                          [self = shared_from_this(), realm, first, held](
                            const expected<realm_offers_answered>& result) {
                            self->taken(realm, first, held, result);
                          });
  }

  void taken(const realm_id& realm, size_t first, bool held,
             const expected<realm_offers_answered>& result) {
    const auto& lines = lines_.at(realm);
    if (!result)
      return store_away(lines, first);
    const auto& told = result.value();
    const auto token = how_.with.token_of(told.taken.at);
    const room_again again{told.realm_again, told.all_again};
    for (size_t at = 0; at < told.taken.offers.size(); ++at) {
      const auto& one = told.taken.offers[at];
      count_offer(*how_.with.counts, one.result);
      const auto made = answer_of(one, again, token);
      held = held || made.status >= 400;
      put(lines[first + at].number, made.status, made.body());
    }
    next_commit(realm, first + told.taken.offers.size(), held);
  }

  /// What was not answered was taken in or was not, and nothing behind it was
  /// tried.
  void store_away(const std::vector<bulk_line>& lines, size_t first) {
    ++how_.with.counts->failed;
    for (size_t at = first; at < lines.size(); ++at)
      put(lines[at].number, 503,
          {{"errcode", "ORG.WEIR.UNAVAILABLE"},
           {"error", "the store did not answer: send the same again"},
           {"retry_after_ms", 5'000}});
    realm_over();
  }

  void refuse_all(const realm_id&, const std::vector<bulk_line>& lines) {
    ++how_.with.counts->forbidden;
    for (const auto& line : lines)
      put(line.number, 403,
          {{"errcode", "M_FORBIDDEN"},
           {"error", "This producer may not use this realm"}});
    realm_over();
  }

  void put(uint64_t number, int status, json body) {
    body["line"] = number;
    body["status"] = status;
    const std::lock_guard guard{mutex_};
    answers_[number] = dumped(body);
  }

  void realm_over() {
    {
      const std::lock_guard guard{mutex_};
      if (--open_ > 0)
        return;
    }
    finish();
  }

  void finish() {
    http_response response;
    response.fields = {{"Content-Type", "application/x-ndjson"}};
    for (const auto& [number, line] : answers_)
      response.body.append(line).push_back('\n');
    answer_(std::move(response));
  }

  bulk_errand how_;
  const bulk_lines lines_;
  reply answer_;
  std::mutex mutex_;                        ///< Of the two below.
  std::map<uint64_t, std::string> answers_; ///< By line.
  size_t open_;
};

} // namespace

http_response read_failed(producer_counts& counts, const error& why) {
  if (why.code == ec::full) {
    ++counts.waits_refused;
    return wait_reply(503, "ORG.WEIR.CAPACITY",
                      "as many requests wait as may: ask without waiting", 5s);
  }
  ++counts.failed;
  return error_reply(why);
}

void status_with_pace(const realm_door& door, const realm_id& realm,
                      const realm_answer& found, const reply& answer) {
  door.pace([realm, found, answer](const expected<pace_view>& now) {
    answer(status_reply(realm, found,
                        now ? pace_json(now.value()) : json::object()));
  });
}

std::string errand_tools::token_of(const slot_position& at) const {
  // What changed nothing has no commit to name.
  if (!tokens || at.pos == 0)
    return {};
  auto made = tokens->bound(at, principal);
  return made ? std::move(made.value()) : std::string{};
}

void submit_all(bulk_errand how, bulk_lines lines, reply answer) {
  std::make_shared<bulk_work>(std::move(how), std::move(lines),
                              std::move(answer))
    ->begin();
}

void change_until_done(errand_tools with, change_realm_audience request,
                       reply answer) {
  auto again = request;
  with.door.change(std::move(again),
                   [with, request = std::move(request),
                    answer](const expected<realm_audience_changed>& done) {
                     if (!done)
                       return answer(write_failed(done.error()));
                     if (done.value().result == audience_result::more)
                       return change_until_done(with, request, answer);
                     answer(audience_reply(request.realm, done.value(),
                                           with.token_of(done.value().at)));
                   });
}

void replace_until_done(errand_tools with, replace_realm_audience request,
                        reply answer) {
  auto again = request;
  with.door.replace(
    std::move(again),
    [with, request = std::move(request),
     answer](const expected<realm_audience_changed>& done) mutable {
      if (!done)
        return answer(write_failed(done.error()));
      if (done.value().result != audience_result::more)
        return answer(audience_reply(request.realm, done.value(),
                                     with.token_of(done.value().at)));
      if (!done.value().last.empty()) {
        request.begins = false;
        request.after = done.value().last;
      }
      replace_until_done(with, std::move(request), answer);
    });
}

void redeliver_all(errand_tools with, redeliver_realm_event request,
                   reply answer) {
  auto again = request;
  with.door.redeliver(
    std::move(again),
    [with, request = std::move(request),
     answer](const expected<realm_event_redelivered>& done) mutable {
      if (!done)
        return answer(write_failed(done.error()));
      const auto& now = done.value();
      if (!now.known)
        return answer(
          matrix_error(404, "M_NOT_FOUND", "no such event in this realm"));
      if (now.more) {
        request.after = now.last;
        return redeliver_all(with, std::move(request), answer);
      }
      answer(json_ok(dumped({{"token", with.token_of(now.at)}})));
    });
}

} // namespace weir
