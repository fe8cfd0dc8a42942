#pragma once

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

/// How the actor world answers a caller that is no actor. Runs on a CAF worker
/// and must not block.
template <class T>
struct callback {
  std::function<void(T)> run;
};

} // namespace weir
