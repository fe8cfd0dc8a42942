#include "actors/policy/verdict.hpp"

#include "actors/policy/retry_after.hpp"

#include <boost/describe/enum_to_string.hpp>

#include <algorithm>
#include <iterator>

namespace weir::policy {

namespace {

struct judgement {
  verdict_kind kind;
  std::string_view cause;
};

struct status_rule {
  int status;
  judgement means;
};

constexpr status_rule singled_out[] = {
  {301, {verdict_kind::misconfigured_path, "http_301"}},
  {302, {verdict_kind::misconfigured_path, "http_302"}},
  {307, {verdict_kind::misconfigured_path, "http_307"}},
  {308, {verdict_kind::misconfigured_path, "http_308"}},
  {400, {verdict_kind::rejected, "http_400"}},
  {401, {verdict_kind::misconfigured_token, "http_401"}},
  {403, {verdict_kind::misconfigured_token, "http_403"}},
  {404, {verdict_kind::misconfigured_path, "http_404"}},
  {405, {verdict_kind::misconfigured_path, "http_405"}},
  {407, {verdict_kind::misconfigured_token, "http_407"}},
  {408, {verdict_kind::transient, "http_408"}},
  {410, {verdict_kind::misconfigured_path, "http_410"}},
  {413, {verdict_kind::too_big, "http_413"}},
  {421, {verdict_kind::misconfigured_path, "http_421"}},
  {422, {verdict_kind::rejected, "http_422"}},
  {425, {verdict_kind::transient, "http_425"}},
  {426, {verdict_kind::misconfigured_path, "http_426"}},
  {429, {verdict_kind::transient, "http_429"}},
  {500, {verdict_kind::no_verdict_hang, "http_500"}},
  {502, {verdict_kind::transient, "http_502"}},
  {503, {verdict_kind::transient, "http_503"}},
  {504, {verdict_kind::transient, "http_504"}},
};

constexpr judgement malformed{verdict_kind::no_verdict_hang, "malformed"};

judgement by_status(int status) {
  const auto rule = std::find_if(
    std::begin(singled_out), std::end(singled_out),
    [status](const status_rule& each) { return each.status == status; });
  if (rule != std::end(singled_out))
    return rule->means;
  switch (status / 100) {
  case 2: return {verdict_kind::accepted, "accepted"};
  case 3: return {verdict_kind::misconfigured_path, "http_3xx"};
  case 4: return {verdict_kind::rejected, "http_4xx"};
  case 5: return {verdict_kind::transient, "http_5xx"};
  default: return malformed;
  }
}

judgement by_failure(no_answer failure) {
  switch (failure) {
  case no_answer::name: return {verdict_kind::transient, "name_unresolved"};
  case no_answer::refused: return {verdict_kind::transient, "connect_refused"};
  case no_answer::tls: return {verdict_kind::transient, "tls"};
  case no_answer::connect_timeout:
    return {verdict_kind::transient, "connect_timeout"};
  case no_answer::aborted: return {verdict_kind::transient, "aborted"};
  case no_answer::answer_timeout:
    return {verdict_kind::no_verdict_hang, "timeout"};
  case no_answer::reset: return {verdict_kind::no_verdict_hang, "reset"};
  case no_answer::too_large:
    return {verdict_kind::no_verdict_hang, "answer_too_large"};
  case no_answer::malformed:
  case no_answer::none: break;
  }
  return malformed;
}

/// It is stored and shown: nothing in it may be anything but text.
std::string one_line(std::string_view text) {
  constexpr size_t bytes_max = 200;
  std::string line{text.substr(0, bytes_max)};
  for (auto& each : line)
    if (each < ' ' || each > '~')
      each = '?';
  return line;
}

} // namespace

std::string_view to_string(verdict_kind of) noexcept {
  return boost::describe::enum_to_string(of, "unknown");
}

verdict judge(const http_answer& answer, stored_time now) {
  const auto means = answer.status != 0 ? by_status(answer.status)
                                        : by_failure(answer.failure);
  verdict judged{means.kind, std::string{means.cause}, std::nullopt};
  if (answer.status == 0)
    judged.detail = one_line(answer.detail);
  if (means.kind != verdict_kind::accepted)
    judged.retry_after = retry_after(answer, now);
  return judged;
}

} // namespace weir::policy
