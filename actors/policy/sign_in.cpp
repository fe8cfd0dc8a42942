#include "actors/policy/sign_in.hpp"

namespace weir::policy {

namespace {

/// It was the homeserver that spoke, and not about being busy.
bool is_verdict(const send_answer& answer) {
  const auto judged = judge_send(answer, 0);
  return judged.effect == pause_effect::none;
}

} // namespace

sign_in::sign_in(bool with_password, bool with_device)
  : step_{with_password   ? sign_in_step::log_in
            : with_device ? sign_in_step::ask_who
                          : sign_in_step::ask_who_bare} {
}

void sign_in::ask(sign_in_step next) noexcept {
  step_ = next;
}

void sign_in::judge(const sign_in_answer& answer, bool is_good) {
  const auto judged = judge_login(answer.of, is_good);
  effect_ = judged.effect;
  switch (judged.result) {
  case login_result::logged_in: state_ = sign_in_state::done; return;
  case login_result::retry: state_ = sign_in_state::retry; return;
  case login_result::refused: state_ = sign_in_state::refused; return;
  }
}

void sign_in::answered(const sign_in_answer& answer) {
  switch (step_) {
  case sign_in_step::log_in:
    in_device_ = answer.has_device;
    return judge(answer, answer.has_token && answer.is_user);
  case sign_in_step::ask_who_bare: return judge(answer, answer.is_user);
  case sign_in_step::make_device:
    // Whatever it says, the next answer tells whether there is a device.
    made_device_ = true;
    return is_verdict(answer.of) || answer.of.status / 100 == 2
      ? ask(sign_in_step::ask_who)
      : judge(answer, false);
  case sign_in_step::ask_who: break;
  }
  const bool is_said = answer.of.status / 100 == 2 || is_verdict(answer.of);
  if (answer.is_user && answer.has_device) {
    in_device_ = true;
    return judge(answer, true);
  }
  if (!is_said)
    return judge(answer, false);
  ask(made_device_ ? sign_in_step::ask_who_bare : sign_in_step::make_device);
}

} // namespace weir::policy
