#pragma once

#include "actors/interfaces.hpp"
#include "actors/policy/restart_intensity.hpp"
#include "actors/policy/sign_in.hpp"
#include "actors/settings.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace weir {

/// Signs the account of realm events in, once for all who wait for it (Q33). A
/// sign-in is sent under the permit of the send that asked for it, so what is
/// refused is told to whoever asked, who tells the pacer (Q34): nothing is
/// tried again here.
///
/// What it knows is gone with it: the next one signs in again, into the same
/// device, so that ids of transactions keep their scope (Q31).
class homeserver_session_state {
public:
  static constexpr const char* name = "homeserver_session";
  using self_pointer = traced_actor<session_actor>*;

  explicit homeserver_session_state(self_pointer self) : self_{self} {
  }
  ~homeserver_session_state();

  session_actor::behavior_type
  start(std::shared_ptr<const house_settings> settings,
        std::shared_ptr<const peers> house);

private:
  caf::result<session_opened> open(const open_session& request);
  void sign_in();
  void next_step();
  void answered(const http_answer& answer);
  void signed_in();
  void refused(policy::pause_effect effect,
               const std::optional<milliseconds>& asked,
               const std::string& cause);
  void tell(const session_opened& what);

  /// More in a row than this are no cure: somebody ends our sessions.
  static constexpr policy::restart_intensity::limits sign_ins{
    3, milliseconds{60'000}};

  self_pointer self_;
  realm_settings of_;
  std::shared_ptr<const peers> house_;
  std::optional<session_opened> now_;
  std::optional<policy::sign_in> under_way_;
  secret token_; ///< Of the sign-in under way.
  policy::restart_intensity repeated_{sign_ins};
  bool was_lost_ = false; ///< There was a session, and it ended.
  uint64_t sessions_ = 0;
  std::vector<caf::typed_response_promise<session_opened>> askers_;
};

using homeserver_session = weir_actor<session_actor, homeserver_session_state,
                                      std::shared_ptr<const house_settings>,
                                      std::shared_ptr<const peers>>;

} // namespace weir
