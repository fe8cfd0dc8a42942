#pragma once

#include "actors/policy/admission.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

namespace weir {

/// `policy::admission` for the connections of one listener, which run on
/// several threads and wait each in its own way. Thread-safe.
class body_budget {
public:
  explicit body_budget(uint64_t bytes) : admission_{bytes} {
  }

  /// One claim: waiting in line, or holding bytes. Its end leaves the line or
  /// gives back what it holds.
  class claim {
  public:
    explicit claim(body_budget& budget) : budget_{budget} {
    }
    ~claim();
    claim(const claim&) = delete;
    claim& operator=(const claim&) = delete;

    /// Asks for `bytes`, once. When they are not there now, `granted` runs as
    /// soon as they are, at most once, on the thread that gave them back.
    void ask(uint64_t bytes, std::function<void()> granted);
    /// Whether what was asked for is held.
    [[nodiscard]] bool held() const;
    /// Gives back all but `bytes`.
    void shrink_to(uint64_t bytes);

  private:
    friend class body_budget;
    body_budget& budget_;
    uint64_t bytes_ = 0;  ///< Held, or asked for.
    uint64_t ticket_ = 0; ///< 0 when not in line.
    bool held_ = false;
    std::function<void()> granted_;
  };

  [[nodiscard]] uint64_t used() const;

private:
  using wakers = std::vector<std::function<void()>>;

  wakers serve_line();

  mutable std::mutex mutex_;
  policy::admission admission_;
  std::map<uint64_t, claim*> line_; ///< By ticket.
};

} // namespace weir
