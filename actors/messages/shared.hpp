#pragma once

#include "actors/trace/seams.hpp"
#include "schema/error.hpp"
#include "schema/http.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace weir {

/// A large immutable value inside a message: passed on without a copy.
template <class T>
struct shared {
  std::shared_ptr<const T> value;

  shared() = default;
  explicit shared(T of) : value{std::make_shared<const T>(std::move(of))} {
  }
  const T& operator*() const {
    return *value;
  }
  const T* operator->() const {
    return value.get();
  }
};

/// What a caller is told whose question ended with the actor that had it.
template <class T>
struct lost_answer;

template <class T>
struct lost_answer<expected<T>> {
  static expected<T> make() {
    return fail(ec::unavailable, "the actor that was asked ended");
  }
};

template <>
struct lost_answer<http_answer> {
  static http_answer make() {
    return unanswered(no_answer::aborted, "the actor that was asked ended");
  }
};

/// How the actor world answers a caller that is no actor: exactly once. Copies
/// are one callback; when the last of them goes unanswered (in the mailbox of
/// an actor that ended, in a continuation that never ran) it answers
/// `lost_answer`. Runs on a CAF worker and must not block.
template <class T>
class callback {
public:
  callback() = default;
  callback(std::function<void(T)> answer)
    : once_{std::make_shared<once>(std::move(answer))} {
  }

  void run(T answer) const {
    if (once_)
      once_->run(std::move(answer));
  }

private:
  class once {
  public:
    explicit once(std::function<void(T)> answer) : answer_{std::move(answer)} {
    }
    once(const once&) = delete;
    once& operator=(const once&) = delete;
    ~once() {
      if (answer_)
        run(lost_answer<T>::make());
    }
    void run(T answer) {
      const auto to = std::exchange(answer_, nullptr);
      if (!to)
        return;
      if (trace::is_on()) [[unlikely]]
        trace::note_callback(typeid(T), &answer);
      to(std::move(answer));
    }

  private:
    std::function<void(T)> answer_;
  };

  std::shared_ptr<once> once_;
};

} // namespace weir
