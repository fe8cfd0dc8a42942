#include "tests/sim/bridge.hpp"

#include "tests/sim/dice.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

namespace weir::sim {

namespace {

constexpr milliseconds never{24 * 3'600'000};
/// What it takes to find out that nobody listens.
constexpr milliseconds refusal_takes{1};

bridge_reply status(int code, ending how) {
  bridge_reply result;
  result.answer.status = code;
  result.how = how;
  result.processes = how == ending::accepted;
  return result;
}

bridge_reply failure(no_answer why, ending how) {
  bridge_reply result;
  result.answer = unanswered(why, "simulated");
  result.how = how;
  return result;
}

/// What a status means to whoever hears it. Source: the table in
/// docs/delivery.md, written anew.
ending meaning_of(int64_t code) {
  if (code / 100 == 2)
    return ending::accepted;
  if (code == 413)
    return ending::too_big;
  if (code == 400 || code == 422)
    return ending::rejected;
  return code == 500 ? ending::hang : ending::refused;
}

std::string http_date(int64_t seconds) {
  return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT",
                     fmt::gmtime(static_cast<std::time_t>(seconds)));
}

} // namespace

bridge::bridge(size_t index, bridge_plan of, uint64_t seed)
  : index_{index},
    plan_{of},
    seed_{seed} {
}

void bridge::befall(const entry& line, milliseconds now) {
  if (line.what == act::outage) {
    outage_until_ = std::max(outage_until_, now + milliseconds{line.amount});
    return;
  }
  for (size_t i = 0; i < line.count; ++i)
    faults_.push_back(line);
}

bridge_reply bridge::receive(const http_request& request, milliseconds now,
                             stored_time unix_time) {
  befallen_.reset();
  dice random{seed_ ^ (index_ * 1'000'003 + ++requests_)};
  const milliseconds takes{random.one_in(4) ? 0 : random.between(1, 40)};
  bridge_reply reply;
  if (now < outage_until_) {
    befallen_ = act::outage;
    reply = failure(no_answer::refused, ending::refused);
    reply.after = refusal_takes;
  } else if (request.method != "PUT") {
    reply = status(200, ending::accepted);
    reply.after = takes;
  } else {
    reply = by_temper(request);
    reply.after += takes;
    if (!faults_.empty()) {
      const auto fault = faults_.front();
      faults_.pop_front();
      befallen_ = fault.what;
      reply = by_fault(fault, reply, unix_time);
    }
  }
  if (reply.after < request.deadlines.answer)
    return reply;
  // Nobody waits that long. It may have done its work all the same.
  auto hung = failure(no_answer::answer_timeout, ending::hang);
  hung.after = request.deadlines.answer;
  hung.processes = reply.processes;
  return hung;
}

bridge_reply bridge::by_temper(const http_request& request) {
  const auto body = request.body.view();
  const bool is_poisoned = plan_.poisoned_one_in > 0
    && body.find(poison_mark) != std::string_view::npos;
  if (plan_.is == temper::small && body.size() > plan_.bytes_max)
    return status(413, ending::too_big);
  if (!is_poisoned) {
    auto reply = status(200, ending::accepted);
    reply.answer.body = "{}";
    if (plan_.is == temper::sluggish)
      reply.after = milliseconds{2'000 + static_cast<int64_t>(body.size())};
    return reply;
  }
  switch (plan_.is) {
  case temper::rejects_poison: return status(400, ending::rejected);
  case temper::crashes_on_poison: return status(500, ending::hang);
  default: break;
  }
  auto hung = failure(no_answer::answer_timeout, ending::hang);
  hung.after = never;
  return hung;
}

bridge_reply bridge::by_fault(const entry& fault, const bridge_reply& usual,
                              stored_time unix_time) {
  auto reply = usual;
  switch (fault.what) {
  case act::answer_status:
    reply = status(static_cast<int>(fault.amount), meaning_of(fault.amount));
    break;
  case act::retry_after:
    reply = with_wish(fault, unix_time + usual.after);
    break;
  case act::hang:
    reply = failure(no_answer::answer_timeout, ending::hang);
    reply.after = never;
    return reply;
  case act::reset_unread:
    reply = failure(no_answer::reset, ending::hang);
    break;
  case act::reset_processed:
    reply = failure(no_answer::reset, ending::hang);
    reply.processes = usual.processes;
    break;
  case act::torn:
    reply.answer.failure = no_answer::reset;
    reply.answer.body.clear();
    break;
  case act::slow: reply.after += milliseconds{fault.amount}; return reply;
  case act::no_connection:
    reply = failure(fault.step % 2 == 0 ? no_answer::refused : no_answer::name,
                    ending::refused);
    break;
  default: break;
  }
  reply.after = usual.after;
  return reply;
}

bridge_reply bridge::with_wish(const entry& fault, stored_time unix_time) {
  dice random{seed_ ^ static_cast<uint64_t>(fault.at.count())};
  auto reply = status(static_cast<int>(fault.amount), ending::refused);
  auto wish
    = milliseconds{random.between(1, random.one_in(5) ? 3'000'000 : 60'000)};
  const auto seconds = (wish.count() + 999) / 1'000;
  const auto second_now = unix_time.ms / 1'000;
  auto& fields = reply.answer.fields;
  auto form = static_cast<wait_form>(fault.step);
  if (adds_dates_ && form == wait_form::date_alone)
    form = wait_form::date;
  switch (form) {
  case wait_form::seconds:
    fields.push_back({"Retry-After", std::to_string(seconds)});
    wish = milliseconds{seconds * 1'000};
    break;
  case wait_form::decimals:
    fields.push_back(
      {"retry-after",
       fmt::format("{}.{:03}", wish.count() / 1'000, wish.count() % 1'000)});
    break;
  case wait_form::date:
    fields.push_back({"Date", http_date(second_now)});
    fields.push_back({"Retry-After", http_date(second_now + seconds)});
    wish = milliseconds{seconds * 1'000};
    break;
  case wait_form::date_alone:
    fields.push_back({"RETRY-AFTER", http_date(second_now + seconds)});
    wish = milliseconds{(second_now + seconds) * 1'000 - unix_time.ms};
    break;
  case wait_form::body:
    reply.answer.body = fmt::format(
      R"({{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":{}}})", wish.count());
    break;
  }
  reply.wish = wish;
  return reply;
}

} // namespace weir::sim
