#include "http/proxy.hpp"

#include "http/auth.hpp"
#include "http/matrix_reply.hpp"
#include "schema/config_values.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace weir {

namespace {

using namespace std::chrono_literals;

/// Key look-ups for a large room, with room to spare.
constexpr size_t answer_bytes_max = size_t{16} << 20;
/// A homeserver waits 60 s; this leaves it most of that.
constexpr auto retry_time = 5s;
constexpr uint32_t attempts_max = 8;
constexpr std::string_view unreachable = "ORG.WEIR.BRIDGE_UNREACHABLE";

/// RFC 9110, 7.6.1, and what the transport writes itself.
constexpr std::array<std::string_view, 11> not_passed_on{"connection",
                                                         "keep-alive",
                                                         "proxy-connection",
                                                         "proxy-authenticate",
                                                         "te",
                                                         "proxy-authorization",
                                                         "trailer",
                                                         "transfer-encoding",
                                                         "upgrade",
                                                         "content-length",
                                                         "expect"};

std::string_view trimmed(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The names that Connection fields list.
std::vector<std::string_view>
names_in_connection(const std::vector<http_field>& fields) {
  std::vector<std::string_view> names;
  for (const auto& field : fields) {
    if (!same_field_name(field.name, "connection"))
      continue;
    for (std::string_view list = field.value; !list.empty();) {
      const auto end = std::min(list.find(','), list.size());
      names.push_back(trimmed(list.substr(0, end)));
      list.remove_prefix(std::min(end + 1, list.size()));
    }
  }
  return names;
}

/// The fields meant for the far end.
std::vector<http_field> end_to_end(const std::vector<http_field>& fields) {
  const auto named = names_in_connection(fields);
  std::vector<http_field> kept;
  for (const auto& field : fields) {
    const auto is_this = [&](std::string_view name) {
      return same_field_name(field.name, name);
    };
    if (std::none_of(not_passed_on.begin(), not_passed_on.end(), is_this)
        && std::none_of(named.begin(), named.end(), is_this))
      kept.push_back(field);
  }
  return kept;
}

void drop(std::vector<http_field>& fields, std::string_view name) {
  std::erase_if(fields, [&](const http_field& field) {
    return same_field_name(field.name, name);
  });
}

/// A wrong query token would break a request whose header is right, so it is
/// never just passed on.
std::string target_for(std::string_view forward, const proxy_link& link) {
  auto target = strip_target(forward);
  if (!link.legacy_query)
    return target;
  const auto mark = target.find('?');
  if (mark == std::string::npos)
    target.push_back('?');
  else if (mark + 1 < target.size())
    target.push_back('&');
  return target.append("access_token=").append(encode_path_segment(link.token));
}

bool is_protocol_lookup(std::string_view forward) noexcept {
  const auto path = forward.substr(0, forward.find('?'));
  return path.starts_with("/_matrix/app/v1/thirdparty/protocol/")
    || path.starts_with("/_matrix/app/unstable/thirdparty/protocol/");
}

} // namespace

http_request proxy_request(const request_head& head, std::string_view forward,
                           shared_bytes body, const proxy_link& link) {
  http_request request;
  request.method = head.method;
  request.peer = link.peer;
  request.target = target_for(forward, link);
  request.fields = end_to_end(head.fields);
  drop(request.fields, "host");
  drop(request.fields, "authorization");
  request.fields.push_back({"Authorization", "Bearer " + link.token});
  if (!body.empty() && find_field(request.fields, "content-type").empty())
    request.fields.push_back({"Content-Type", "application/json"});
  request.body = std::move(body);
  // Most of the wait belongs to the bridge's own work.
  request.deadlines
    = {link.wait / 5, link.wait - 2 * (link.wait / 5), link.wait / 5};
  request.answer_bytes_max = answer_bytes_max;
  request.whole_body = true;
  return request;
}

http_response proxy_response(http_answer answer) {
  if (answer.failure == no_answer::none && answer.status >= 200
      && answer.status <= 599)
    return {answer.status, end_to_end(answer.fields), std::move(answer.body)};
  const bool late = answer.failure == no_answer::connect_timeout
    || answer.failure == no_answer::answer_timeout;
  const auto why = answer.failure == no_answer::none
    ? std::string_view{"malformed"}
    : to_string(answer.failure);
  return matrix_error(late ? 504 : 502, unreachable,
                      "no answer from the bridge: " + std::string{why});
}

http_response too_many_unanswered() {
  return matrix_error(502, unreachable,
                      "the bridge leaves too many requests unanswered");
}

bool may_retry(std::string_view forward, const http_answer& answer,
               uint32_t attempts, std::chrono::milliseconds elapsed) {
  if (!is_protocol_lookup(forward) || attempts >= attempts_max
      || elapsed + proxy_retry_pause >= retry_time)
    return false;
  switch (answer.failure) {
  case no_answer::none: return answer.status >= 502 && answer.status <= 504;
  case no_answer::name:
  case no_answer::refused:
  case no_answer::connect_timeout:
  case no_answer::reset: return true;
  case no_answer::tls:
  case no_answer::answer_timeout:
  case no_answer::malformed:
  case no_answer::too_large:
  case no_answer::aborted: break;
  }
  return false;
}

} // namespace weir
