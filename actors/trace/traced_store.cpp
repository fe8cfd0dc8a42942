#include "actors/trace/traced_store.hpp"

#include "persistence/realm_store.hpp"

namespace weir::trace {

namespace {

/// Under a replay there is no store below: every answer comes from the trace,
/// and where that has none, the store is away.
class traced_store final : public store {
public:
  explicit traced_store(std::unique_ptr<store> below)
    : below_{std::move(below)} {
  }

  expected<slot_lease> take_slot(uint32_t slot, const std::string& owner,
                                 uint64_t run) override {
    return ask<slot_lease>([&] { return below_->take_slot(slot, owner, run); });
  }
  expected<std::vector<slot_row>> slots() override {
    if (!below_)
      return fail(away());
    return below_->slots();
  }
  expected<void> begin(const slot_lease& lease, uint64_t positions) override {
    return ask<void>([&] { return below_->begin(lease, positions); });
  }
  expected<stored_time> now() override {
    return ask<stored_time>([&] { return below_->now(); });
  }
  expected<void> add_clock_offset(milliseconds by) override {
    return ask<void>([&] { return below_->add_clock_offset(by); });
  }
  expected<void> commit() override {
    return ask<void>([&] { return below_->commit(); });
  }
  void rollback() noexcept override {
    if (below_)
      below_->rollback();
  }
  expected<void> reconnect() override {
    return ask<void>([&] { return below_->reconnect(); });
  }
  expected<std::optional<slot_row>> read_slot(uint32_t slot) override {
    return ask<std::optional<slot_row>>(
      [&] { return below_->read_slot(slot); });
  }
  expected<void> tidy(size_t pages_max) override {
    return ask<void>([&] { return below_->tidy(pages_max); });
  }

  outbox_store& outbox() override {
    return real().outbox();
  }
  waiting_store& waiting() override {
    return real().waiting();
  }
  ordering_store& orderings() override {
    return real().orderings();
  }
  inbox_store& inbox() override {
    return real().inbox();
  }
  keep_store& keep() override {
    return real().keep();
  }
  outcome_store& outcomes() override {
    return real().outcomes();
  }
  command_store& commands() override {
    return real().commands();
  }
  removal_store& removals() override {
    return real().removals();
  }
  realm_stores realms() override {
    return real().realms();
  }

private:
  static error away() {
    return {ec::unavailable, "not in the trace"};
  }

  template <class T, class Make>
  expected<T> ask(Make make) {
    return drawn_result<T>([&]() -> expected<T> {
      if (!below_)
        return fail(away());
      return make();
    });
  }

  /// Operations do not run under a replay.
  store& real() {
    WEIR_ASSERT(below_ != nullptr);
    return *below_;
  }

  std::unique_ptr<store> below_;
};

} // namespace

expected<std::unique_ptr<store>> open_traced_store(
  const std::function<expected<std::unique_ptr<store>>()>& open) {
  if (!is_on())
    return open();
  std::unique_ptr<store> made;
  WEIR_TRY(drawn_result<void>([&]() -> expected<void> {
    WEIR_TRY(made, open());
    return ok();
  }));
  return std::make_unique<traced_store>(std::move(made));
}

} // namespace weir::trace
