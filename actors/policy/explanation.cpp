#include "actors/policy/explanation.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace weir::policy {

namespace {

/// `{}` stands for the class of the last answer.
struct texts {
  queue_cause cause;
  std::string_view name;
  std::string_view why;
  std::string_view next;
  std::string_view todo;
};

constexpr std::string_view again = "The same transaction is sent again.";

constexpr texts table[] = {
  {queue_cause::store_away, "store_away",
   "The store takes no writes, so nothing is taken in and nothing is settled.",
   "Weir goes on by itself as soon as the store does.",
   "See to the database and its disk; the log names what it says."},
  {queue_cause::not_configured, "not_configured",
   "The configuration does not name this appservice any more.",
   "What is kept of it is deleted when appservices.keep_removed is over.",
   "Put its registration back and run weir reload before that, or delete it "
   "now with weir remove."},
  {queue_cause::no_url, "no_url",
   "Its registration says url: null, so it is sent nothing.", "Nothing.",
   "Nothing, if that is meant; else give it a url and run weir reload."},
  {queue_cause::paused, "paused", "An operator has paused it.",
   "Nothing until it is resumed; what comes in is kept.",
   "Run weir resume when the reason is gone."},
  {queue_cause::damaged, "damaged",
   "The stored elements of the pinned transaction are not what they were when "
   "it was pinned.",
   "Nothing: other bytes are never sent under an id.",
   "Look for a damaged disk or a changed database. Restore it and run weir "
   "retry, send what is left under a new id with weir retire, or put it aside "
   "with weir skip."},
  {queue_cause::no_room, "no_room",
   "The bridge rejects an element for good, and there is no room for another "
   "dead letter.",
   "The element is tried again.",
   "Make room: look at weir dead-letters and replay or drop some, then weir "
   "retry."},
  {queue_cause::rejected, "rejected",
   "The bridge rejects an element ({}), and the policy is poison: block.",
   "The element is tried again.",
   "Repair the bridge and run weir retry, or put the element aside with weir "
   "skip."},
  {queue_cause::token_refused, "token_refused",
   "The bridge refuses Weir's token ({}).", again,
   "Compare hs_token in its registration with the bridge's, then weir reload "
   "or weir retry."},
  {queue_cause::path_unknown, "path_unknown",
   "What answers at its url does not know the path ({}).", again,
   "Check url in its registration and any proxy before the bridge, then weir "
   "reload or weir retry."},
  {queue_cause::bridge_asked, "bridge_asked",
   "The bridge asked for a pause (Retry-After, {}).", again,
   "Wait. Only weir retry --force sends sooner."},
  {queue_cause::unreachable, "unreachable",
   "The bridge cannot be reached ({}).", again,
   "Start the bridge, or check url and the network; weir retry tries now."},
  {queue_cause::no_verdict, "no_verdict",
   "The bridge was reached and gave no proper answer ({}).",
   "Weir pings the bridge and then sends the same transaction again.",
   "Look at the bridge's log; weir retry tries now."},
  {queue_cause::content_refused, "content_refused",
   "The bridge rejects the transaction ({}).",
   "It is sent again, and taken apart to find the element if it goes on.",
   "Look at the bridge's log for what it does not take."},
  {queue_cause::own_transport, "own_transport",
   "Weir's own transport was restarted while it sent.", again,
   "Nothing; if it goes on, look at Weir's log."},
  {queue_cause::refused, "refused", "The bridge took nothing just now ({}).",
   again, "Look at the bridge's log; weir retry tries now."},
  {queue_cause::full, "full",
   "The queue is at its bound, and the homeserver's requests are held.",
   "It takes more in as soon as the bridge has taken some.",
   "See that the bridge keeps up, or raise queue_events_max or "
   "queue_bytes_max."},
  {queue_cause::sending, "sending",
   "A transaction has been under way for long, and the bridge has not answered "
   "yet.",
   "Weir waits for the answer, at most request_timeout.",
   "Look at the bridge's log if that is unusual for it."},
  {queue_cause::flowing, "flowing", "Nothing is in the way.",
   "The next transaction is sent at once.", "Nothing."},
  {queue_cause::idle, "idle", "It is owed nothing.",
   "Weir waits for the homeserver.", "Nothing."},
};

const texts& texts_of(queue_cause of) {
  const auto found
    = std::find_if(std::begin(table), std::end(table),
                   [of](const texts& each) { return each.cause == of; });
  return found == std::end(table) ? table[0] : *found;
}

template <size_t N>
bool is_one_of(std::string_view text,
               const std::array<std::string_view, N>& of) {
  return std::find(of.begin(), of.end(), text) != of.end();
}

constexpr std::array<std::string_view, 3> token_classes{"http_401", "http_403",
                                                        "http_407"};
constexpr std::array<std::string_view, 10> path_classes{
  "http_301", "http_302", "http_307", "http_308", "http_3xx",
  "http_404", "http_405", "http_410", "http_421", "http_426"};
constexpr std::array<std::string_view, 4> unreachable_classes{
  "name_unresolved", "connect_refused", "tls", "connect_timeout"};
constexpr std::array<std::string_view, 5> no_verdict_classes{
  "timeout", "reset", "answer_too_large", "malformed", "http_500"};
constexpr std::array<std::string_view, 4> content_classes{
  "http_400", "http_413", "http_422", "http_4xx"};

queue_cause cause_of_block(const queue_facts& facts) {
  if (facts.cause == "stored bytes differ from the pin")
    return queue_cause::damaged;
  if (facts.cause == "no room for dead letters")
    return queue_cause::no_room;
  return queue_cause::rejected;
}

/// A wrong token or path comes before a Retry-After: to wait mends neither.
queue_cause cause_of_rest(const queue_facts& facts) {
  if (is_one_of(facts.cause, token_classes))
    return queue_cause::token_refused;
  if (is_one_of(facts.cause, path_classes))
    return queue_cause::path_unknown;
  if (facts.bridge_asked)
    return queue_cause::bridge_asked;
  if (is_one_of(facts.cause, unreachable_classes))
    return queue_cause::unreachable;
  if (is_one_of(facts.cause, no_verdict_classes))
    return queue_cause::no_verdict;
  if (is_one_of(facts.cause, content_classes))
    return queue_cause::content_refused;
  if (facts.cause == "our own transport was restarted")
    return queue_cause::own_transport;
  return queue_cause::refused;
}

queue_cause cause_of(const queue_facts& facts) {
  if (!facts.store_writable)
    return queue_cause::store_away;
  if (!facts.configured)
    return queue_cause::not_configured;
  if (!facts.has_url)
    return queue_cause::no_url;
  if (facts.paused)
    return queue_cause::paused;
  if (facts.state == "blocked")
    return cause_of_block(facts);
  if (facts.state == "resting" && facts.owed > 0)
    return cause_of_rest(facts);
  if (facts.full)
    return queue_cause::full;
  if (facts.owed == 0)
    return queue_cause::idle;
  return facts.sending ? queue_cause::sending : queue_cause::flowing;
}

std::string filled(std::string_view text, const std::string& with) {
  std::string result{text};
  if (const auto at = result.find("{}"); at != std::string::npos)
    result.replace(at, 2, with.empty() ? "not known why" : with);
  return result;
}

std::string paused_text(const queue_facts& facts) {
  auto text = "An operator has paused it, " + facts.paused_by;
  if (!facts.pause_reason.empty())
    text += ": " + facts.pause_reason;
  return text + (text.ends_with('.') ? "" : ".");
}

} // namespace

std::string_view to_string(queue_cause of) noexcept {
  return texts_of(of).name;
}

explanation explain(const queue_facts& facts) {
  const auto& told = texts_of(cause_of(facts));
  explanation result{told.cause, filled(told.why, facts.cause),
                     std::string{told.next}, std::string{told.todo}};
  if (told.cause == queue_cause::paused && !facts.paused_by.empty())
    result.why = paused_text(facts);
  return result;
}

} // namespace weir::policy
