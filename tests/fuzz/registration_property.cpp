#include "schema/registration.hpp"
#include "tests/fuzz/properties.hpp"

namespace weir::test {

namespace {

constexpr std::string_view public_url = "http://weir.example:8009";

std::string broken_problem(const loaded_registrations& loaded) {
  for (const auto& list : {loaded.problems, loaded.warnings})
    for (const auto& one : list)
      if (one.what.empty() || one.file != "f" || one.line < 0)
        return "a problem that says nothing";
  return "";
}

} // namespace

std::string broken_registration_property(std::string_view text) {
  loaded_registrations loaded;
  parse_registration("f", text, loaded);
  if (auto broken = broken_problem(loaded); !broken.empty())
    return broken;
  if (loaded.registrations.empty() == loaded.problems.empty())
    return "neither taken nor refused, or both";
  if (loaded.registrations.empty())
    return "";
  const auto& one = loaded.registrations.front();
  if (one.as_token.empty() || one.hs_token.empty() || one.id.value.empty())
    return "taken without an id or a token";
  const auto copy = emit_homeserver_copy(one, public_url);
  loaded_registrations again;
  parse_registration("f", copy, again);
  if (again.registrations.size() != 1)
    return "the homeserver's copy is not taken";
  const auto& second = again.registrations.front();
  if (second.id != one.id || second.as_token != one.as_token
      || second.hs_token != one.hs_token
      || second.sender_localpart != one.sender_localpart
      || second.receive_ephemeral != one.receive_ephemeral
      || second.rate_limited != one.rate_limited)
    return "the homeserver's copy says something else";
  if (second.url.has_value() != one.url.has_value())
    return "the homeserver's copy is sent to otherwise";
  if (second.url && !second.url->starts_with(public_url))
    return "the homeserver's copy does not lead to Weir";
  return "";
}

} // namespace weir::test
