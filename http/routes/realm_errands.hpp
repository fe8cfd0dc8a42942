#pragma once

#include "actors/realm_door.hpp"
#include "http/routes/realms.hpp"

#include <memory>

/// What of the producer API takes several requests of the store.
namespace weir {

/// A read that the store did not answer, or that would be a wait too many.
http_response read_failed(producer_counts& counts, const error& why);

/// The status of a realm with how its account is paced now, if that is known.
void status_with_pace(const realm_door& door, const realm_id& realm,
                      const realm_answer& found, const reply& answer);

/// What an errand that writes for a producer needs.
struct errand_tools {
  const realm_door& door;
  std::shared_ptr<const token_authority> tokens;
  std::shared_ptr<producer_counts> counts;
  std::string principal;

  /// The token of a commit; empty where there was none, or none are made.
  [[nodiscard]] std::string token_of(const slot_position& at) const;
};

/// A whole bulk request: realms beside each other, the commits of each one
/// after the other.
struct bulk_errand {
  errand_tools with;
  std::string account;
  policy::realm_admission::bounds bounds;
  std::vector<std::string> may_use; ///< Patterns of realms.
};
void submit_all(bulk_errand how, bulk_lines lines, reply answer);

/// Asks again until the change holds.
void change_until_done(errand_tools with, change_realm_audience request,
                       reply answer);
void replace_until_done(errand_tools with, replace_realm_audience request,
                        reply answer);
void redeliver_all(errand_tools with, redeliver_realm_event request,
                   reply answer);

} // namespace weir
