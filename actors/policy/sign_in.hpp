#pragma once

#include "actors/policy/send_verdict.hpp"

#include <boost/describe/enum.hpp>

#include <cstdint>
#include <string>

namespace weir::policy {

/// What a sign-in asks the homeserver next.
enum class sign_in_step : uint8_t {
  log_in,      ///< With the password; the answer holds an access token.
  ask_who,     ///< Who the token is, and which device, as the account would be.
  make_device, ///< The homeserver does not know the device yet.
  ask_who_bare, ///< The same without a device, which it does not support.
};
BOOST_DESCRIBE_ENUM(sign_in_step, log_in, ask_who, make_device, ask_who_bare)

/// What a sign-in has come to.
enum class sign_in_state : uint8_t {
  asking,  ///< `step` is to be asked.
  done,    ///< The account can send.
  retry,   ///< Back-pressure, like that of a send (Q34).
  refused, ///< These credentials are of no use now: hold the account.
};
BOOST_DESCRIBE_ENUM(sign_in_state, asking, done, retry, refused)

/// One answer, as far as a sign-in goes by it.
struct sign_in_answer {
  send_answer of;
  bool has_token = false;  ///< Of `log_in`.
  bool is_user = false;    ///< The token stands for the account.
  bool has_device = false; ///< It does so in the device that was asked for.
};

/// The steps of one sign-in of an account. With a password it is one login into
/// a fixed device, so that ids of transactions keep their scope (Q31). With the
/// token of the appservice nothing is to be got, only made sure of: that the
/// homeserver takes the token for the account, and in the device, which is made
/// when it is not there. One that knows nothing of devices of appservices is
/// sent to without, and forgets ids when it restarts (D10).
///
/// Not thread-safe; owned by one session actor. Source: Client-Server API,
/// "Login"; Application Service API, "Identity assertion"; MSC4190, MSC4326.
class sign_in {
public:
  sign_in(bool with_password, bool with_device);

  [[nodiscard]] sign_in_state state() const noexcept {
    return state_;
  }
  /// To be asked, while `asking`.
  [[nodiscard]] sign_in_step step() const noexcept {
    return step_;
  }
  /// Of `done`: the homeserver knows the account in its device.
  [[nodiscard]] bool in_device() const noexcept {
    return in_device_;
  }
  /// Of `retry` and `refused`: what is paused by it.
  [[nodiscard]] pause_effect effect() const noexcept {
    return effect_;
  }

  /// What came of the step.
  void answered(const sign_in_answer& answer);

private:
  void judge(const sign_in_answer& answer, bool is_good);
  void ask(sign_in_step next) noexcept;

  sign_in_state state_ = sign_in_state::asking;
  sign_in_step step_;
  bool made_device_ = false;
  bool in_device_ = false;
  pause_effect effect_ = pause_effect::none;
};

} // namespace weir::policy
