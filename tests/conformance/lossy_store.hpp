#pragma once

#include "persistence/realm_store.hpp"
#include "persistence/store.hpp"

namespace weir::test {

/// A store whose connection is lost at its next COMMIT when told so: before the
/// database has heard of it, or after it has committed. For stores that cannot
/// be cut from outside.
class lossy_store final : public store {
public:
  explicit lossy_store(store& inner) : inner_{inner} {
  }

  enum class loss { none, before, after };
  loss next_commit = loss::none;

  expected<slot_lease> take_slot(uint32_t slot, const std::string& owner,
                                 uint64_t run) override {
    return inner_.take_slot(slot, owner, run);
  }
  expected<std::vector<slot_row>> slots() override {
    return inner_.slots();
  }
  expected<void> begin(const slot_lease& lease, uint64_t positions) override {
    return inner_.begin(lease, positions);
  }
  expected<stored_time> now() override {
    return inner_.now();
  }
  expected<void> add_clock_offset(milliseconds by) override {
    return inner_.add_clock_offset(by);
  }
  expected<void> commit() override {
    switch (std::exchange(next_commit, loss::none)) {
    case loss::none: return inner_.commit();
    case loss::before: break;
    case loss::after: WEIR_TRY(inner_.commit()); break;
    }
    WEIR_TRY(inner_.reconnect());
    return fail(ec::in_doubt, "commit: connection lost");
  }
  void rollback() noexcept override {
    inner_.rollback();
  }
  expected<void> reconnect() override {
    return inner_.reconnect();
  }
  expected<std::optional<slot_row>> read_slot(uint32_t slot) override {
    return inner_.read_slot(slot);
  }
  expected<void> tidy(size_t pages_max) override {
    return inner_.tidy(pages_max);
  }
  outbox_store& outbox() override {
    return inner_.outbox();
  }
  waiting_store& waiting() override {
    return inner_.waiting();
  }
  ordering_store& orderings() override {
    return inner_.orderings();
  }
  inbox_store& inbox() override {
    return inner_.inbox();
  }
  keep_store& keep() override {
    return inner_.keep();
  }
  outcome_store& outcomes() override {
    return inner_.outcomes();
  }
  command_store& commands() override {
    return inner_.commands();
  }
  removal_store& removals() override {
    return inner_.removals();
  }
  realm_stores realms() override {
    return inner_.realms();
  }

private:
  store& inner_;
};

} // namespace weir::test
