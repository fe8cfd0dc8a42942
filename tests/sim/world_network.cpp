#include "tests/sim/world.hpp"

#include <boost/describe/enum_to_string.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

// The network between homeservers, node and bridges.
namespace weir::sim {

namespace {

constexpr milliseconds hold{45'000};
constexpr uint64_t queue_unbounded = 1'000'000;
/// Late wake-ups that are kept of one queue.
constexpr size_t wakes_max = 8;

std::string id_of(const http_request& request) {
  return request.target.substr(request.target.rfind('/') + 1);
}

} // namespace

size_t world::bridge_of(const http_request& request) const {
  size_t index = 0;
  const auto digits = std::string_view{request.peer.url}.substr(
    std::string_view{"http://b"}.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), index);
  return index;
}

send_step world::step_of_send(size_t bridge, const std::string& id) const {
  const auto& to = *sides_[bridge];
  if (to.restarted)
    return send_step::after_restart;
  if (to.last_sent == id)
    return send_step::again;
  return to.was_cut ? send_step::cut_smaller : send_step::first_try;
}

/// Whatever is sent after a reload carries the new token, pinned or not.
void world::check_token(const side& to, const http_request& request) {
  const auto wanted = "Bearer " + to.token;
  const auto right = [&](const http_field& each) {
    return each.name == "Authorization" && each.value == wanted;
  };
  if (now_ > to.reloaded_at
      && std::none_of(request.fields.begin(), request.fields.end(), right))
    ledger_.report("as configured", request.target + " with an old token");
}

void world::send(uint64_t id, http_request request,
                 std::function<void(http_answer)> done) {
  if (node_ended_)
    return;
  const auto index = bridge_of(request);
  auto& to = *sides_[index];
  const bool is_transaction = request.method == "PUT";
  check_token(to, request);
  if (is_transaction && takes(act::crash_before_send, index, id_of(request)))
    return end_node();
  open_request open;
  open.bridge = index;
  open.is_transaction = is_transaction;
  open.id = id_of(request);
  open.done = std::move(done);
  open.reply = to.peer.receive(request, now_, true_time());
  open.due = now_ + open.reply.after;
  note(fmt::format("{} {} {} for {} ms, then {} {}", request.method, index,
                   open.id, open.reply.after.count(), open.reply.answer.status,
                   to_string(open.reply.answer.failure)));
  if (is_transaction) {
    ledger_.sent(index, open.id, request.body.view(), now_);
    lanes_.sent(index, open.id, request.body.view());
    if (const auto fault = to.peer.befallen())
      met(*fault,
          boost::describe::enum_to_string(step_of_send(index, open.id),
                                          "unknown"));
  } else {
    ledger_.asked(index, now_);
  }
  const bool crashes
    = is_transaction && takes(act::crash_after_send, index, open.id);
  if (is_transaction) {
    to.last_sent = open.id;
    to.restarted = to.was_cut = false;
  }
  open_.emplace(id, std::move(open));
  if (crashes)
    end_node();
}

void world::abort(uint64_t id) {
  if (!node_ended_ && open_.contains(id))
    close(id, true);
}

void world::close(uint64_t id, bool aborted) {
  auto request = std::move(open_.extract(id).mapped());
  auto& reply = request.reply;
  note(fmt::format("closed {} {}{}", request.bridge, request.id,
                   aborted ? " by us" : ""));
  if (!request.is_transaction) {
    ledger_.ping_closed(request.bridge, now_);
  } else {
    if (reply.processes && (!aborted || random_.one_in(2))) {
      ledger_.processed(request.bridge, request.id);
      lanes_.processed(request.bridge, request.id);
    }
    const auto how = !aborted ? reply.how
      : request.cut           ? ending::cut
                              : ending::given_up;
    ledger_.closed(request.bridge, request.id, how,
                   aborted ? milliseconds{0} : reply.wish, now_,
                   !aborted && !request.orphaned && !request.cut);
  }
  request.done(aborted ? unanswered(no_answer::aborted, "told to")
                       : std::move(reply.answer));
}

void world::answer_due() {
  std::vector<uint64_t> due;
  for (const auto& [id, request] : open_)
    if (request.due <= now_)
      due.push_back(id);
  for (const auto id : due)
    if (open_.contains(id))
      close(id, false);
}

/// The node is gone. What has reached a bridge may still be done there.
void world::hang_up() {
  for (auto& [id, request] : open_)
    if (request.is_transaction && request.reply.processes
        && random_.one_in(2)) {
      ledger_.processed(request.bridge, request.id);
      lanes_.processed(request.bridge, request.id);
    }
  open_.clear();
}

void world::offer_all() {
  for (size_t i = 0; i < sides_.size(); ++i) {
    if (!node_ || node_ended_ || draining_)
      return;
    if (sides_[i]->back_at)
      continue; // It would be told 404.
    if (auto what = sides_[i]->hs.next(now_))
      offer(i, std::move(*what));
  }
}

transaction_bounds world::bounds_of(size_t bridge) const {
  const auto& promised = promised_[bridge];
  const auto bound = plan_.bridges[bridge].queue_elements_max;
  transaction_bounds bounds;
  bounds.lanes = lane_rules_of(promised);
  bounds.queue.elements_max = bound == 0 ? queue_unbounded : bound;
  bounds.queue.age_max = promised.age_max;
  if (promised.gives_up_oldest)
    bounds.queue.overflow = overflow_policy::dead_letter_oldest;
  return bounds;
}

void world::offer(size_t bridge, hs_transaction what) {
  auto& from = *sides_[bridge];
  accept_transaction request;
  request.appservice = {"b" + std::to_string(bridge)};
  request.hs_txn_id = what.id;
  request.bounds = bounds_of(bridge);
  if (promised_[bridge].by_ordering) {
    request.hs_txn_id.clear();
    // Neighbours change places: a later one may have the lower ordering.
    for (const auto& each : what.elements)
      what.content.orderings.push_back(each.no ^ 1);
  }
  request.content = shared{std::move(what.content)};
  from.offer = ledger_.offer(bridge, what.elements, now_);
  lanes_.offered(from.offer, bridge, *request.content);
  offers_[from.offer] = now_;
  note(
    fmt::format("offer {} {} with {}", bridge, what.id, what.elements.size()));
  node_->offer(std::move(request), hold,
               [this, bridge, number = from.offer,
                life = life_](const expected<transaction_stored>& answer) {
                 if (life == life_ && !node_ended_)
                   offer_answered(bridge, number, answer);
               });
}

void world::offer_answered(size_t bridge, uint64_t offer,
                           const expected<transaction_stored>& answer) {
  auto& from = *sides_[bridge];
  note(fmt::format("answer {} {}", bridge,
                   answer ? static_cast<int>(answer.value().result) : -1));
  ledger_.answered(offer, answer.has_value(), now_);
  lanes_.answered(offer, answer.has_value(), now_);
  offers_.erase(offer);
  if (answer && answer.value().pinned) {
    if (from.wakes.size() >= wakes_max)
      from.wakes.erase(from.wakes.begin());
    from.wakes.push_back(*answer.value().pinned);
  }
  if (offer != from.offer)
    return; // The homeserver that asked is gone.
  from.offer = 0;
  from.hs.answered(answer.has_value(), now_);
}

} // namespace weir::sim
