#pragma once

#include "actors/trace/seams.hpp"
#include "schema/time.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/error.hpp>
#include <caf/invoke_message_result.hpp>
#include <caf/mailbox_element.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>

/// What the base of all actors tells the recorder. One record is under way in a
/// thread at most: from when a message is taken to when its handler is done.
/// Effects are seen where they arrive: a message by the `enqueue` of its
/// receiver, which runs in the thread of the sender.
namespace weir::trace {

/// What a trace knows of one actor. The name and the number never change; the
/// rest belongs to the thread that runs the actor.
struct actor_trace {
  std::string name;         ///< `directory`, `appservice/telegram`.
  uint32_t incarnation = 0; ///< Counts the actors of this name in the process.
  uint64_t session = 0;     ///< The trace that `wanted` and `asked` belong to.
  bool wanted = false;
  /// Requests that wait for an answer: the record and the effect that sent
  /// them.
  std::map<uint64_t, std::pair<uint64_t, size_t>> asked;

  [[nodiscard]] std::string label() const {
    return name + '#' + std::to_string(incarnation);
  }
};

/// What has a name in a trace; a base of all actors, and of their stand-ins.
/// Virtual, since the tracer finds it by a dynamic cast.
class traced { // NOLINT(cppcoreguidelines-virtual-class-destructor)
public:
  [[nodiscard]] const actor_trace& in_trace() const {
    return in_trace_;
  }

protected:
  virtual ~traced() = default;
  actor_trace in_trace_;
};

/// Names a new actor and, if a handler makes it, counts it among its effects.
void begin_actor(actor_trace& of, caf::actor_id id, std::string name);

/// An actor was made, by a replay without making it.
void note_spawn(const std::string& label);

/// The label of an actor that is gone already or may be; `?` when unknown.
std::string label_of(caf::actor_id id, const caf::strong_actor_ptr& alive);

/// One record under way. Empty when no trace wants it.
class record_scope {
public:
  record_scope() noexcept;
  record_scope(record_scope&&) noexcept;
  record_scope& operator=(record_scope&&) = delete;
  /// Writes it; one that was neither `done` nor `dropped` says that it threw.
  ~record_scope();

  static record_scope of_message(actor_trace& of, caf::actor_id id,
                                 const caf::mailbox_element& what, instant at);
  static record_scope of_start(actor_trace& of, caf::actor_id id,
                               const char* kind, instant at);
  static record_scope of_end(actor_trace& of, caf::actor_id id,
                             const caf::error& why, instant at);

  /// One argument of the construction.
  void argument(const std::type_info& type, const void* value);
  void done();
  void dropped(); ///< The message was not handled: it comes again.

private:
  class impl;
  explicit record_scope(std::unique_ptr<impl> of);
  static record_scope begin(actor_trace& of, caf::actor_id id, const char* what,
                            instant at);
  friend struct under_way_access;
  std::unique_ptr<impl> impl_;
};

/// Holds the record of an actor's end while its state is destroyed: a base of
/// the state that is destroyed after it.
template <class Actor>
class end_record {
protected:
  explicit end_record(Actor* self) : self_{self} {
  }
  ~end_record() {
    if (record_)
      record_->done();
  }
  void open_end_record() {
    record_.emplace(self_->begin_end_record());
  }

private:
  Actor* self_;
  std::optional<record_scope> record_;
};

/// Sees what is put into the mailbox of `to`. False: leave it out, since a
/// replay gives it again by itself.
bool note_enqueue(const actor_trace& to, caf::actor_id id,
                  const caf::mailbox_element& what);

/// A timer was armed. False: do not arm it, a replay fires it by itself.
bool note_timer(std::chrono::nanoseconds delay, const std::type_info& type,
                const void* message);

/// When the message was taken that the actor is handling; nothing without a
/// record of it.
std::optional<instant> moment_of(caf::actor_id id);

} // namespace weir::trace
