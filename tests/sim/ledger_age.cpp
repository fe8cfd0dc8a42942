#include "tests/sim/ledger.hpp"

#include <fmt/format.h>

// Events that may grow too old to be sent.
namespace weir::sim {

void ledger::pinned(size_t bridge, const std::string& id, milliseconds at) {
  bridges_[bridge].pins.try_emplace(id, at);
}

/// What is pinned is young; later it may grow as old as it will.
void ledger::check_age(bridge_state& to, const std::string& id) {
  const auto pin = to.pins.extract(id);
  if (pin.empty() || !knows_ages_ || to.rules.age_max.count() == 0)
    return;
  for (const auto no : to.transactions.at(id).elements) {
    const auto& known = to.elements.at(no);
    if (known.kind != lane::event || known.acknowledged_tick == 0)
      continue;
    const auto age = pin.mapped() - known.acknowledged_at;
    if (age > to.rules.age_max)
      report(
        "young when pinned",
        fmt::format("element {} in {} was {} ms old", no, id, age.count()));
  }
}

void ledger::outlived(size_t bridge, std::string_view bytes, milliseconds at) {
  const auto& to = bridges_[bridge];
  const auto found = to.elements.find(number_in(bytes));
  if (found == to.elements.end() || !knows_ages_)
    return;
  const auto age = at - found->second.offered_at;
  if (age <= to.rules.age_max)
    report("given up with cause",
           fmt::format("element {} was not {} ms old", found->first,
                       to.rules.age_max.count()));
}

} // namespace weir::sim
