#pragma once

#include "actors/bridge.hpp"
#include "actors/messages/shared.hpp"
#include "actors/probes.hpp"
#include "actors/trace/hooks.hpp"
#include "schema/log.hpp"
#include "schema/time.hpp"

#include <boost/describe/members.hpp>
#include <caf/all.hpp>
#include <caf/detail/scope_guard.hpp>

#include <exception>
#include <tuple>
#include <utility>

// Messages travel inside one process: every described struct may be sent, and
// none is ever serialised by CAF.
namespace caf {

template <class T>
requires(boost::describe::has_describe_members<
         T>::value) struct allowed_unsafe_message_type<T> : std::true_type {
};

template <class T>
struct allowed_unsafe_message_type<weir::callback<T>> : std::true_type {};

} // namespace caf

namespace weir {

/// What every actor of Weir is below its state: it counts its mailbox, logs
/// what its handlers throw, and is the only place where timers are armed, so
/// that one mixin sees all that goes in and all that is promised to oneself.
template <class Api>
class traced_actor : public Api::base, public trace::traced {
public:
  using super = typename Api::base;
  using handle = Api;

  explicit traced_actor(caf::actor_config& cfg) : super(cfg) {
    this->set_exception_handler(
      [this](std::exception_ptr& thrown) { return failed(thrown); });
  }

  ~traced_actor() override {
    if (probe_ != nullptr)
      probe_->waiting -= waiting_;
  }

  using super::enqueue;
  void enqueue(caf::mailbox_element_ptr what,
               caf::execution_unit* on) override {
    if (trace::is_on()) [[unlikely]]
      if (!trace::note_enqueue(in_trace_, this->id(), *what))
        return;
    count(+1);
    super::enqueue(std::move(what), on);
  }

  caf::invoke_message_result consume(caf::mailbox_element& what) override {
    if (!trace::is_on()) [[likely]]
      return handle_counted(what);
    auto record = trace::record_scope::of_message(in_trace_, this->id(), what,
                                                  clock_now());
    const auto result = handle_counted(what);
    if (result == caf::invoke_message_result::skipped)
      record.dropped();
    else
      record.done();
    return result;
  }

  /// Sends `message` to oneself in `delay`. Timers are armed nowhere else.
  template <class Rep, class Period, class Message>
  void arm(std::chrono::duration<Rep, Period> delay, Message message) {
    delay = std::max(delay, delay.zero());
    if (trace::is_on()) [[unlikely]]
      if (!trace::note_timer(delay, typeid(Message), &message))
        return;
    this->delayed_send(caf::actor_cast<Api>(this), delay, std::move(message));
  }

  /// The monotonic clock: virtual under test. While a trace is written it
  /// stands still in a handler, so that a replay, which knows when the message
  /// was taken, comes to the same.
  [[nodiscard]] instant now() const {
    if (trace::is_on()) [[unlikely]]
      if (const auto taken = trace::moment_of(this->id()))
        return *taken;
    return clock_now();
  }

  /// The same without standing still: for how long something took.
  [[nodiscard]] instant clock_now() const {
    return const_cast<traced_actor*>(this)->clock().now();
  }

  /// The record of the end of the actor's state.
  trace::record_scope begin_end_record() {
    if (!trace::is_on()) [[likely]]
      return {};
    return trace::record_scope::of_end(in_trace_, this->id(), this->fail_state_,
                                       clock_now());
  }

protected:
  /// Begins to count under the name of the kind.
  void observe(const char* kind) {
    kind_ = kind;
    probe_ = &process_probes().of(kind);
    probe_->waiting += waiting_;
    ++probe_->live;
  }

  void no_longer_live() {
    if (probe_ != nullptr)
      --probe_->live;
  }

private:
  caf::invoke_message_result handle_counted(caf::mailbox_element& what) {
    auto result = caf::invoke_message_result::consumed; // Also if it throws.
    const auto settle = caf::detail::make_scope_guard([&] {
      if (result == caf::invoke_message_result::skipped)
        return;
      count(-1);
      if (probe_ != nullptr)
        ++probe_->processed;
    });
    result = super::consume(what);
    return result;
  }

  caf::error failed(std::exception_ptr& thrown) {
    std::string what = "unknown exception";
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& e) {
      what = e.what();
    } catch (...) {
    }
    if (probe_ != nullptr)
      ++probe_->failures;
    logger{"actors"}.error("actor failed kind={} what={}", kind_, what);
    return to_caf({ec::unavailable, "the actor failed"});
  }

  void count(int by) {
    waiting_ += by;
    if (probe_ != nullptr)
      probe_->waiting += by;
  }

  const char* kind_ = "unknown";
  actor_probe* probe_ = nullptr;
  std::atomic<int64_t> waiting_{0};
};

/// Opens the record of an actor's end before the state is destroyed, which may
/// answer what it still holds, and closes it behind it.
template <class Api, class State>
class recorded_state : private trace::end_record<traced_actor<Api>>,
                       public State {
public:
  explicit recorded_state(traced_actor<Api>* self)
    : trace::end_record<traced_actor<Api>>{self},
      State{self} {
  }
  ~recorded_state() {
    this->open_end_record();
  }
};

/// The one base of all actors. `State` is a class with a static `name`, a
/// constructor that takes `traced_actor<Api>*`, and `start(Args…)`, which
/// returns the table of handlers; its destructor answers what it still holds.
/// A static `trace_name(const Args&…)` names its actors apart in traces.
template <class Api, class State, class... Args>
class weir_actor
  : public caf::stateful_actor<recorded_state<Api, State>, traced_actor<Api>> {
public:
  using super
    = caf::stateful_actor<recorded_state<Api, State>, traced_actor<Api>>;

  explicit weir_actor(caf::actor_config& cfg, Args... args)
    : super(cfg),
      args_{std::move(args)...} {
    this->observe(State::name);
    trace::begin_actor(this->in_trace_, this->id(), trace_name());
  }

  ~weir_actor() override {
    this->no_longer_live();
  }

  typename Api::behavior_type make_behavior() override {
    return std::apply([this](auto&... args) { return start(args...); }, args_);
  }

private:
  typename Api::behavior_type start(Args&... args) {
    if (!trace::is_on()) [[likely]]
      return this->state.start(std::move(args)...);
    auto record = trace::record_scope::of_start(this->in_trace_, this->id(),
                                                State::name, this->clock_now());
    (record.argument(typeid(Args), &args), ...);
    auto handlers = this->state.start(std::move(args)...);
    record.done();
    return handlers;
  }

  [[nodiscard]] std::string trace_name() const {
    return std::apply(
      [](const auto&... args) -> std::string { // NOLINT(misc-unused-parameters)
        if constexpr (requires { State::trace_name(args...); })
          return State::trace_name(args...);
        else
          return State::name;
      },
      args_);
  }

  std::tuple<Args...> args_;
};

} // namespace weir
