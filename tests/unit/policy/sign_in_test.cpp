#include "actors/policy/sign_in.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::policy;

namespace {

sign_in_answer said(int status, const std::string& errcode = "") {
  sign_in_answer answer;
  answer.of.status = status;
  answer.of.has_json = true;
  answer.of.errcode = errcode;
  return answer;
}

sign_in_answer who(bool is_user, bool has_device) {
  auto answer = said(200);
  answer.is_user = is_user;
  answer.has_device = has_device;
  return answer;
}

} // namespace

TEST_CASE("sign-in: q33 a password is one login into the device") {
  sign_in with{true, true};
  CHECK(with.step() == sign_in_step::log_in);
  auto answer = who(true, true);
  answer.has_token = true;
  with.answered(answer);
  CHECK(with.state() == sign_in_state::done);
  CHECK(with.in_device());
}

TEST_CASE("sign-in: a login without a token, or of another user, is none") {
  sign_in with{true, true};
  with.answered(who(true, true));
  CHECK(with.state() == sign_in_state::retry);
  sign_in other{true, true};
  auto answer = who(false, true);
  answer.has_token = true;
  other.answered(answer);
  CHECK(other.state() == sign_in_state::retry);
}

TEST_CASE("sign-in: q34 a login under overload is back-pressure") {
  for (const int status : {429, 502, 503, 504}) {
    sign_in with{true, true};
    with.answered(said(status));
    CHECK(with.state() == sign_in_state::retry);
    CHECK(
      with.effect()
      == (status == 429 ? pause_effect::limited : pause_effect::overloaded));
  }
  sign_in refused{true, true};
  refused.answered(said(403, "M_FORBIDDEN"));
  CHECK(refused.state() == sign_in_state::refused);
  CHECK(refused.effect() == pause_effect::account_held);
}

TEST_CASE("sign-in: d10 a device that is there is used") {
  sign_in as{false, true};
  CHECK(as.step() == sign_in_step::ask_who);
  as.answered(who(true, true));
  CHECK(as.state() == sign_in_state::done);
  CHECK(as.in_device());
}

TEST_CASE("sign-in: d10 a device that is not there is made") {
  sign_in as{false, true};
  SUBCASE("when the homeserver says so") {
    as.answered(said(400, "M_UNKNOWN_DEVICE"));
  }
  SUBCASE("when the homeserver leaves it out") {
    as.answered(who(true, false));
  }
  CHECK(as.step() == sign_in_step::make_device);
  as.answered(said(201));
  CHECK(as.step() == sign_in_step::ask_who);
  as.answered(who(true, true));
  CHECK(as.state() == sign_in_state::done);
  CHECK(as.in_device());
}

TEST_CASE("sign-in: d10 a homeserver without such devices is sent to without") {
  sign_in as{false, true};
  as.answered(who(true, false));
  as.answered(said(404, "M_NOT_FOUND"));
  as.answered(who(true, false));
  CHECK(as.step() == sign_in_step::ask_who_bare);
  as.answered(who(true, false));
  CHECK(as.state() == sign_in_state::done);
  CHECK_FALSE(as.in_device());
}

TEST_CASE("sign-in: overload at any step is back-pressure") {
  for (int steps = 0; steps < 4; ++steps) {
    sign_in as{false, true};
    if (steps > 0)
      as.answered(who(true, false));
    if (steps > 1)
      as.answered(said(404, "M_NOT_FOUND"));
    if (steps > 2)
      as.answered(who(true, false));
    as.answered(said(503));
    CHECK(as.state() == sign_in_state::retry);
    CHECK(as.effect() == pause_effect::overloaded);
  }
}

TEST_CASE("sign-in: a token that is refused holds the account") {
  sign_in as{false, false};
  CHECK(as.step() == sign_in_step::ask_who_bare);
  as.answered(said(401, "M_UNKNOWN_TOKEN"));
  CHECK(as.state() == sign_in_state::refused);
  CHECK(as.effect() == pause_effect::account_held);
}
