#pragma once

#include "persistence/realm_store.hpp"
#include "persistence/store.hpp"

#include <optional>
#include <vector>

namespace weir::test {

/// A store whose places for dead letters and quarantined bodies are as full as
/// told, since a test cannot fill a gigabyte. All else goes to a real one.
class crammed_store final : public store, keep_store {
public:
  /// @param own What of it is each appservice's that asks.
  crammed_store(store& real, uint64_t letter_bytes, uint64_t quarantine_bytes,
                kept_bytes own = {})
    : real_{real},
      letter_bytes_{letter_bytes},
      quarantine_bytes_{quarantine_bytes},
      own_{own} {
  }

  expected<int64_t> bury(const dead_letter_row& row) override {
    return real_.keep().bury(row);
  }
  expected<std::vector<dead_letter_row>>
  read_letters(const appservice_id& of, int64_t after, int64_t until,
               size_t rows_max, size_t bytes_max) override {
    return real_.keep().read_letters(of, after, until, rows_max, bytes_max);
  }
  expected<int64_t> last_letter(const appservice_id& of) override {
    return real_.keep().last_letter(of);
  }
  expected<uint64_t> remove_letters(const appservice_id& of,
                                    std::span<const int64_t> ids) override {
    return real_.keep().remove_letters(of, ids);
  }
  expected<bool> count_quarantined(const quarantine_row& row) override {
    return real_.keep().count_quarantined(row);
  }
  expected<int64_t> quarantine(const quarantine_row& row) override {
    return real_.keep().quarantine(row);
  }
  expected<std::vector<kept_size>>
  next_quarantined(const appservice_id& of, int64_t after, int64_t until,
                   size_t rows_max, size_t bytes_max) override {
    return real_.keep().next_quarantined(of, after, until, rows_max, bytes_max);
  }
  expected<int64_t> last_quarantined(const appservice_id& of) override {
    return real_.keep().last_quarantined(of);
  }
  expected<uint64_t> remove_quarantined(const appservice_id& of,
                                        std::span<const int64_t> ids) override {
    return real_.keep().remove_quarantined(of, ids);
  }
  expected<uint64_t> dead_letter_bytes() override {
    return letter_bytes_;
  }
  expected<uint64_t> quarantine_bytes() override {
    return quarantine_bytes_;
  }
  expected<kept_bytes> held_by(const appservice_id&) override {
    return own_;
  }

  outbox_store& outbox() override {
    return real_.outbox();
  }
  waiting_store& waiting() override {
    return real_.waiting();
  }
  ordering_store& orderings() override {
    return real_.orderings();
  }
  inbox_store& inbox() override {
    return real_.inbox();
  }
  keep_store& keep() override {
    return *this;
  }
  outcome_store& outcomes() override {
    return real_.outcomes();
  }
  command_store& commands() override {
    return real_.commands();
  }
  removal_store& removals() override {
    return real_.removals();
  }
  realm_stores realms() override {
    return real_.realms();
  }

  // The batch belongs to the runner and its own store.
  expected<slot_lease> take_slot(uint32_t, const std::string&,
                                 uint64_t) override {
    return not_here();
  }
  expected<std::vector<slot_row>> slots() override {
    return not_here();
  }
  expected<void> begin(const slot_lease&, uint64_t) override {
    return not_here();
  }
  expected<stored_time> now() override {
    return not_here();
  }
  expected<void> add_clock_offset(milliseconds) override {
    return not_here();
  }
  expected<void> commit() override {
    return not_here();
  }
  void rollback() noexcept override {
  }
  expected<void> reconnect() override {
    return not_here();
  }
  expected<std::optional<slot_row>> read_slot(uint32_t) override {
    return not_here();
  }
  expected<void> tidy(size_t) override {
    return not_here();
  }

private:
  static decltype(fail(ec::rejected, "")) not_here() {
    return fail(ec::rejected, "no operation may ask for this");
  }

  store& real_;
  uint64_t letter_bytes_;
  uint64_t quarantine_bytes_;
  kept_bytes own_;
};

} // namespace weir::test
