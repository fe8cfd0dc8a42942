#pragma once

#include "actors/bridge.hpp"
#include "actors/messages/shared.hpp"
#include "actors/probes.hpp"
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
class traced_actor : public Api::base {
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
    count(+1);
    super::enqueue(std::move(what), on);
  }

  caf::invoke_message_result consume(caf::mailbox_element& what) override {
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

  /// Sends `message` to oneself in `delay`. Timers are armed nowhere else.
  template <class Rep, class Period, class Message>
  void arm(std::chrono::duration<Rep, Period> delay, Message message) {
    this->delayed_send(caf::actor_cast<Api>(this),
                       std::max(delay, delay.zero()), std::move(message));
  }

  /// The monotonic clock: virtual under test.
  [[nodiscard]] instant now() const {
    return const_cast<traced_actor*>(this)->clock().now();
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

/// The one base of all actors. `State` is a class with a static `name`, a
/// constructor that takes `traced_actor<Api>*`, and `start(Args…)`, which
/// returns the table of handlers; its destructor answers what it still holds.
template <class Api, class State, class... Args>
class weir_actor : public caf::stateful_actor<State, traced_actor<Api>> {
public:
  using super = caf::stateful_actor<State, traced_actor<Api>>;

  explicit weir_actor(caf::actor_config& cfg, Args... args)
    : super(cfg),
      args_{std::move(args)...} {
    this->observe(State::name);
  }

  ~weir_actor() override {
    this->no_longer_live();
  }

  typename Api::behavior_type make_behavior() override {
    return std::apply(
      [this](auto&... args) { return this->state.start(std::move(args)...); },
      args_);
  }

private:
  std::tuple<Args...> args_;
};

} // namespace weir
