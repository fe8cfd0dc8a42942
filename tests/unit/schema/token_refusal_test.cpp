#include "schema/token_refusal.hpp"

#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

using namespace weir;
using namespace std::chrono_literals;

namespace {

std::vector<std::pair<token_refusal, std::string>> all_refusals() {
  std::vector<std::pair<token_refusal, std::string>> all;
  boost::mp11::mp_for_each<
    boost::describe::describe_enumerators<token_refusal>>(
    [&](auto each) { all.emplace_back(each.value, each.name); });
  return all;
}

} // namespace

TEST_CASE("refusal: T9 each has its status and its code") {
  using enum token_refusal;
  for (const auto why : {malformed, newer_version, not_ours, bound_as_cursor,
                         other_principal, other_filter}) {
    CHECK(answer_to(why).status == 400);
    CHECK(answer_to(why).errcode == "M_INVALID_PARAM");
  }
  for (const auto why :
       {unknown_slot, unknown_run, beyond_run, beyond_store, expired}) {
    CHECK(answer_to(why).status == 400);
    CHECK(answer_to(why).errcode == "M_UNKNOWN_POS");
  }
  CHECK(answer_to(not_caught_up).status == 503);
  CHECK(answer_to(not_caught_up).errcode == "ORG.WEIR.NOT_CAUGHT_UP");
}

TEST_CASE("refusal: a wrong signature is told like no token at all") {
  const auto forged = answer_to(token_refusal::not_ours);
  CHECK(forged.text == answer_to(token_refusal::malformed).text);
  CHECK(forged.reason.empty());
}

TEST_CASE("refusal: a bound that is used as a cursor is told so") {
  const auto text = answer_to(token_refusal::bound_as_cursor).text;
  CHECK(text.find("token of a write") != text.npos);
  CHECK(text.find("\"after\"") != text.npos);
}

TEST_CASE("refusal: only what is forgotten has a reason") {
  for (const auto& one : all_refusals())
    CHECK_MESSAGE(answer_to(one.first).reason
                    == (one.first == token_refusal::expired ? "expired" : ""),
                  one.second);
}

TEST_CASE("refusal: only what waiting may mend names a time to come back") {
  for (const auto& one : all_refusals())
    CHECK_MESSAGE(answer_to(one.first).retry_after
                    == (one.first == token_refusal::not_caught_up ? 1s : 0s),
                  one.second);
}

TEST_CASE("refusal: lost positions alarm, a client's mistakes do not") {
  using enum token_refusal;
  const std::set alarming{unknown_slot, unknown_run, beyond_run, beyond_store};
  for (const auto& one : all_refusals())
    CHECK_MESSAGE(answer_to(one.first).alarming == alarming.contains(one.first),
                  one.second);
}

TEST_CASE("refusal: each has its name and says something") {
  for (const auto& [why, name] : all_refusals()) {
    CHECK(to_string(why) == name);
    CHECK(!answer_to(why).text.empty());
  }
}
