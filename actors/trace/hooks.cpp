#include "actors/trace/hooks.hpp"

#include "actors/trace/registry.hpp"
#include "actors/trace/session.hpp"
#include "schema/http.hpp"

#include <caf/actor_cast.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <deque>
#include <mutex>
#include <unordered_map>

namespace weir::trace {

/// A record under way.
class record_scope::impl {
public:
  std::shared_ptr<session> in;
  json line;
  json drawn = json::array();
  json effects = json::array();
  actor_trace* of = nullptr;
  caf::actor_id actor = 0;
  instant at{};
  uint64_t seq = 0;
  impl* around = nullptr; ///< The one that this one interrupts.
  bool is_done = false;

  [[nodiscard]] writing how() const {
    return {in->options.with_content};
  }
  void effect(json what) {
    effects.push_back(std::move(what));
  }
};

/// The record that is under way in this thread.
struct under_way_access {
  static record_scope::impl*& now() {
    thread_local record_scope::impl* instance = nullptr;
    return instance;
  }
};

namespace {

/// Names of actors that are gone: enough for every message that may still tell
/// of one.
constexpr size_t names_max = 10'000;

struct name_book {
  std::mutex mutex;
  std::unordered_map<std::string, uint32_t> incarnations;
  std::unordered_map<caf::actor_id, std::string> labels;
  std::deque<caf::actor_id> oldest;
};

name_book& book() {
  static name_book instance;
  return instance;
}

bool matches(const std::string& pattern, const std::string& name) {
  if (pattern.ends_with('*'))
    return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == name;
}

/// Whether the session wants this actor; forgets what belongs to another one.
bool is_wanted(actor_trace& of, const session& in) {
  if (of.session == in.number)
    return of.wanted;
  const auto& only = in.options.actors;
  of.session = in.number;
  of.asked.clear();
  of.wanted = only.empty()
    || std::any_of(only.begin(), only.end(), [&](const std::string& pattern) {
                return matches(pattern, of.name);
              });
  return of.wanted;
}

void put_sender(const caf::mailbox_element& what, json& line) {
  if (what.sender)
    line["from"] = label_of(what.sender->id(), what.sender);
}

/// What a message answers: the effect that asked, by record and place.
void put_mid(actor_trace& of, const caf::mailbox_element& what, json& line) {
  const auto request = what.mid.request_id().integer_value();
  if (what.mid.is_request())
    line["request"] = request;
  if (!what.mid.is_response() || request == 0)
    return;
  json answers{{"request", request}};
  if (const auto asked = of.asked.extract(request); !asked.empty()) {
    answers["record"] = asked.mapped().first;
    answers["effect"] = asked.mapped().second;
  }
  line["answers"] = std::move(answers);
}

void shorten(json& message) {
  if (message.contains("content"))
    message["content"] = json{{"left_out", "the record was too long"}};
}

std::string line_of(json& line) {
  const auto text
    = [&] { return line.dump(-1, ' ', false, json::error_handler_t::replace); };
  auto result = text();
  if (result.size() <= line_bytes_max)
    return result;
  if (line.contains("message"))
    shorten(line["message"]);
  for (auto& effect : line["effects"])
    shorten(effect);
  return text();
}

} // namespace

// -- names --------------------------------------------------------------------

void begin_actor(actor_trace& of, caf::actor_id id, std::string name) {
  of.name = std::move(name);
  {
    const std::lock_guard guard{book().mutex};
    of.incarnation = ++book().incarnations[of.name];
    if (const auto running = is_on() ? session_now() : nullptr;
        running && running->replay && running->replay->incarnation)
      of.incarnation = *std::exchange(running->replay->incarnation, {});
    book().labels[id] = of.label();
    book().oldest.push_back(id);
    if (book().oldest.size() > names_max) {
      book().labels.erase(book().oldest.front());
      book().oldest.pop_front();
    }
  }
  note_spawn(of.label());
}

void note_spawn(const std::string& label) {
  if (auto* record = under_way_access::now())
    record->effect({{"do", "spawn"}, {"actor", label}});
}

std::string label_of(caf::actor_id id, const caf::strong_actor_ptr& alive) {
  if (alive) {
    const auto* known = dynamic_cast<const traced*>(
      caf::actor_cast<caf::abstract_actor*>(alive));
    return known == nullptr ? "?" : known->in_trace().label();
  }
  const std::lock_guard guard{book().mutex};
  const auto found = book().labels.find(id);
  return found == book().labels.end() ? "?" : found->second;
}

// -- records ------------------------------------------------------------------

record_scope::record_scope(std::unique_ptr<impl> of) : impl_{std::move(of)} {
}

record_scope::record_scope() noexcept = default;
record_scope::record_scope(record_scope&&) noexcept = default;

record_scope record_scope::begin(actor_trace& of, caf::actor_id id,
                                 const char* what, instant at) {
  auto in = session_now();
  if (!in || !is_wanted(of, *in))
    return {};
  auto record = std::make_unique<impl>();
  record->seq = in->next_seq++;
  record->in = std::move(in);
  record->of = &of;
  record->actor = id;
  record->at = at;
  record->line
    = json{{"v", format_version},
           {"seq", record->seq},
           {"kind", what},
           {"actor", of.name},
           {"incarnation", of.incarnation},
           {"at", std::chrono::nanoseconds{at.time_since_epoch()}.count()}};
  record->around = std::exchange(under_way_access::now(), record.get());
  return record_scope{std::move(record)};
}

record_scope::~record_scope() {
  if (!impl_)
    return;
  under_way_access::now() = impl_->around;
  if (session_now() != impl_->in)
    return; // Ended meanwhile: what was done since then was not seen.
  auto& line = impl_->line;
  if (!impl_->is_done)
    line["threw"] = true;
  if (!impl_->drawn.empty())
    line["drawn"] = std::move(impl_->drawn);
  line["effects"] = std::move(impl_->effects);
  ++impl_->in->records;
  impl_->in->to->take(line_of(line));
}

record_scope record_scope::of_message(actor_trace& of, caf::actor_id id,
                                      const caf::mailbox_element& what,
                                      instant at) {
  auto record = begin(of, id, "message", at);
  if (!record.impl_)
    return record;
  auto& line = record.impl_->line;
  if (what.is_high_priority())
    line["priority"] = "high";
  put_sender(what, line);
  put_mid(of, what, line);
  json message;
  write_message(what.content(), record.impl_->how(), message);
  line["message"] = std::move(message);
  return record;
}

record_scope record_scope::of_start(actor_trace& of, caf::actor_id id,
                                    const char* kind, instant at) {
  auto record = begin(of, id, "start", at);
  if (record.impl_) {
    record.impl_->line["class"] = kind;
    record.impl_->line["arguments"] = json::array();
  }
  return record;
}

record_scope record_scope::of_end(actor_trace& of, caf::actor_id id,
                                  const caf::error& why, instant at) {
  auto record = begin(of, id, "end", at);
  if (record.impl_)
    record.impl_->line["reason"]
      = write_value(typeid(caf::error), &why, record.impl_->how());
  return record;
}

void record_scope::argument(const std::type_info& type, const void* value) {
  if (impl_)
    impl_->line["arguments"].push_back(write_value(type, value, impl_->how()));
}

void record_scope::done() {
  if (impl_)
    impl_->is_done = true;
}

void record_scope::dropped() {
  if (!impl_)
    return;
  under_way_access::now() = impl_->around;
  impl_.reset();
}

// -- effects ------------------------------------------------------------------

bool note_enqueue(const actor_trace& to, caf::actor_id id,
                  const caf::mailbox_element& what) {
  auto* record = under_way_access::now();
  if (record == nullptr)
    return true;
  const bool from_it = what.sender && what.sender->id() == record->actor;
  // A parent that ends tells its children so without a name.
  const bool tells_to_end = !what.sender && what.content().size() == 1
    && what.content().match_element<caf::exit_msg>(0);
  if (!from_it && !tells_to_end)
    return true;
  const auto request = what.mid.request_id().integer_value();
  const bool answers = what.mid.is_response() && request != 0;
  json effect{{"do",
               answers                   ? "answer"
                 : what.mid.is_request() ? "request"
                                         : "send"},
              {"to", to.label()}};
  if (request != 0)
    effect["request"] = request;
  if (what.is_high_priority())
    effect["priority"] = "high";
  write_message(what.content(), record->how(), effect);
  if (what.mid.is_request())
    record->of->asked[request] = {record->seq, record->effects.size()};
  record->effect(std::move(effect));
  return record->in->replay == nullptr || id != record->actor;
}

bool note_timer(std::chrono::nanoseconds delay, const std::type_info& type,
                const void* message) {
  auto* record = under_way_access::now();
  if (record == nullptr)
    return true;
  json effect{{"do", "arm"}, {"in_ns", delay.count()}};
  const auto* of = codec_of(type);
  effect["type"] = of == nullptr ? "?" : of->name;
  if (of != nullptr)
    effect["content"] = of->write(message, record->how());
  record->effect(std::move(effect));
  return record->in->replay == nullptr;
}

std::optional<instant> moment_of(caf::actor_id id) {
  const auto* record = under_way_access::now();
  if (record == nullptr || record->actor != id)
    return {};
  return record->at;
}

// -- seams --------------------------------------------------------------------

void note_callback(const std::type_info& type, const void* answer) {
  if (auto* record = under_way_access::now())
    record->effect({{"do", "call back"},
                    {"content", write_value(type, answer, record->how())}});
}

void note_http(uint64_t id, const http_request& request) {
  auto* record = is_on() ? under_way_access::now() : nullptr;
  if (record != nullptr)
    record->effect(
      {{"do", "http"}, {"id", id}, {"content", write(request, record->how())}});
}

void note_http_abort(uint64_t id) {
  auto* record = is_on() ? under_way_access::now() : nullptr;
  if (record != nullptr)
    record->effect({{"do", "http abort"}, {"id", id}});
}

bool replay_drawn(const std::type_info& type, void* into) {
  auto* record = under_way_access::now();
  if (record == nullptr || record->in->replay == nullptr)
    return false;
  auto& seams = *record->in->replay;
  const auto* of = codec_of(type);
  if (of == nullptr || seams.drawn.empty()) {
    seams.problem = "a drawn value is not in the trace";
    return true;
  }
  reading how;
  of->read(seams.drawn.front(), into, how);
  seams.drawn.pop_front();
  if (!how.problem.empty())
    seams.problem = "a drawn value: " + how.problem;
  return true;
}

void note_drawn(const std::type_info& type, const void* value) {
  if (auto* record = under_way_access::now())
    record->drawn.push_back(write_value(type, value, record->how()));
}

} // namespace weir::trace
