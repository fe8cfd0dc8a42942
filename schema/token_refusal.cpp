#include "schema/token_refusal.hpp"

#include "schema/limits.hpp"

namespace weir {

namespace {

constexpr std::string_view wrong = "M_INVALID_PARAM";
constexpr std::string_view unknown = "M_UNKNOWN_POS";

constexpr std::string_view no_token = "This is no token of this server.";
constexpr std::string_view start_again
  = "This server does not know the position of this token; its database may "
    "have been put back to an older state. Start again without a token.";

} // namespace

std::string_view to_string(token_refusal why) noexcept {
  switch (why) {
  case token_refusal::malformed: return "malformed";
  case token_refusal::newer_version: return "newer_version";
  case token_refusal::not_ours: return "not_ours";
  case token_refusal::bound_as_cursor: return "bound_as_cursor";
  case token_refusal::other_principal: return "other_principal";
  case token_refusal::other_filter: return "other_filter";
  case token_refusal::unknown_slot: return "unknown_slot";
  case token_refusal::unknown_run: return "unknown_run";
  case token_refusal::beyond_run: return "beyond_run";
  case token_refusal::beyond_store: return "beyond_store";
  case token_refusal::expired: return "expired";
  case token_refusal::not_caught_up: return "not_caught_up";
  }
  return "unknown";
}

refusal_answer answer_to(token_refusal why) noexcept {
  switch (why) {
  case token_refusal::malformed:
  case token_refusal::not_ours: break;
  case token_refusal::newer_version:
    return {400, wrong, "This token is of a version that is not known here."};
  case token_refusal::bound_as_cursor:
    return {400, wrong,
            "This is the token of a write: give it as \"after\". Where a "
            "listing goes on only the token of a read can tell."};
  case token_refusal::other_principal:
    return {400, wrong, "This token was given to another user."};
  case token_refusal::other_filter:
    return {400, wrong,
            "This token was given for another listing or another filter."};
  case token_refusal::unknown_slot:
  case token_refusal::unknown_run:
  case token_refusal::beyond_run:
  case token_refusal::beyond_store:
    return {400, unknown, start_again, {}, {}, true};
  case token_refusal::expired:
    return {400, unknown,
            "Rows behind this token have been forgotten. Start again without "
            "a token.",
            "expired"};
  case token_refusal::not_caught_up:
    return {503,
            "ORG.WEIR.NOT_CAUGHT_UP",
            "What this token has seen is not here yet. Try again.",
            {},
            limits::token_retry_after};
  }
  return {400, wrong, no_token};
}

} // namespace weir
