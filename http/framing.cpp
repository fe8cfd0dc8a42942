#include "http/framing.hpp"

#include "http/matrix_reply.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace weir {

namespace {

/// Every field called `name`, as one list; and how many there were.
struct joined_field {
  std::string value;
  size_t count = 0;
};

joined_field joined(const std::vector<http_field>& fields,
                    std::string_view name) {
  joined_field all;
  for (const auto& field : fields) {
    if (!same_field_name(field.name, name))
      continue;
    if (all.count++ != 0)
      all.value.append(", ");
    all.value.append(field.value);
  }
  return all;
}

http_response bad_request(std::string_view why) {
  return matrix_error(400, "M_UNKNOWN", why);
}

/// Cuts `http://host/path` to `/path`. False: a form that no server of content
/// takes.
bool to_origin_form(std::string& target) {
  if (target.starts_with('/') || target == "*")
    return true;
  const auto scheme = target.find("://");
  if (scheme == std::string::npos
      || (!same_field_name(target.substr(0, scheme), "http")
          && !same_field_name(target.substr(0, scheme), "https")))
    return false;
  const auto path = target.find_first_of("/?", scheme + 3);
  target.erase(0, std::min(path, target.size()));
  if (!target.starts_with('/'))
    target.insert(target.begin(), '/');
  return true;
}

std::optional<http_response> transfer_problem(const request_head& head,
                                              bool http_1_0) {
  const auto coding = joined(head.fields, "transfer-encoding");
  if (coding.count == 0)
    return std::nullopt;
  if (joined(head.fields, "content-length").count != 0)
    return bad_request("both Content-Length and Transfer-Encoding");
  if (http_1_0)
    return bad_request("Transfer-Encoding in HTTP/1.0");
  if (!same_field_name(coding.value, "chunked"))
    return matrix_error(501, "M_UNKNOWN", "transfer coding not supported");
  return std::nullopt;
}

std::string_view reason_of(int status) noexcept {
  constexpr std::array<std::pair<int, std::string_view>, 22> reasons{
    {{200, "OK"},
     {201, "Created"},
     {202, "Accepted"},
     {204, "No Content"},
     {301, "Moved Permanently"},
     {302, "Found"},
     {304, "Not Modified"},
     {308, "Permanent Redirect"},
     {400, "Bad Request"},
     {401, "Unauthorized"},
     {403, "Forbidden"},
     {404, "Not Found"},
     {405, "Method Not Allowed"},
     {408, "Request Timeout"},
     {409, "Conflict"},
     {413, "Content Too Large"},
     {429, "Too Many Requests"},
     {500, "Internal Server Error"},
     {501, "Not Implemented"},
     {502, "Bad Gateway"},
     {503, "Service Unavailable"},
     {504, "Gateway Timeout"}}};
  for (const auto& [code, reason] : reasons)
    if (code == status)
      return reason;
  return "Status";
}

bool ends_no_line(std::string_view text) noexcept {
  using namespace std::string_view_literals;
  return text.find_first_of("\r\n\0"sv) == std::string_view::npos;
}

bool is_ours(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 4> ours{
    "content-length", "connection", "transfer-encoding", "keep-alive"};
  return std::any_of(ours.begin(), ours.end(), [&](std::string_view our) {
    return same_field_name(our, name);
  });
}

bool may_have_body(int status) noexcept {
  return status >= 200 && status != 204 && status != 304;
}

void append_line(std::string& head, std::string_view name,
                 std::string_view value) {
  head.append(name).append(": ").append(value).append("\r\n");
}

} // namespace

std::optional<http_response> head_problem(request_head& head,
                                          request_framing& framing) {
  if (head.target.size() > target_bytes_max)
    return matrix_error(414, "M_UNKNOWN", "target too long");
  if (auto problem = transfer_problem(head, framing.http_1_0))
    return problem;
  const auto host = joined(head.fields, "host").count;
  if (host > 1 || (host == 0 && !framing.http_1_0))
    return bad_request("exactly one Host is needed");
  if (!to_origin_form(head.target))
    return bad_request("not a target of this server");
  const auto expect = joined(head.fields, "expect");
  if (expect.count != 0 && !framing.http_1_0) {
    if (!same_field_name(expect.value, "100-continue"))
      return matrix_error(417, "M_UNKNOWN", "expectation not supported");
    framing.expects_continue = true;
  }
  return std::nullopt;
}

std::optional<http_response> body_problem(const request_head& head,
                                          uint64_t body_bytes_max) {
  if (head.content_length == 0 && !head.chunked)
    return std::nullopt;
  const auto coding = joined(head.fields, "content-encoding").value;
  if (!coding.empty() && !same_field_name(coding, "identity")) {
    auto response = matrix_error(415, "M_UNKNOWN", "only identity is read");
    response.fields.push_back({"Accept-Encoding", "identity"});
    return response;
  }
  if (head.content_length > body_bytes_max)
    return matrix_error(413, "M_TOO_LARGE", "body too large");
  return std::nullopt;
}

bool sends_body(const http_response& response, bool to_head) noexcept {
  return !to_head && may_have_body(response.status) && !response.body.empty();
}

std::string response_head(const http_response& response,
                          const response_framing& framing) {
  std::string head{"HTTP/1.1 "};
  head.append(std::to_string(response.status)).append(" ");
  head.append(reason_of(response.status)).append("\r\n");
  bool typed = false;
  for (const auto& field : response.fields) {
    if (field.name.empty() || is_ours(field.name) || !ends_no_line(field.name)
        || !ends_no_line(field.value))
      continue;
    typed = typed || same_field_name(field.name, "content-type");
    append_line(head, field.name, field.value);
  }
  if (may_have_body(response.status)) {
    if (!typed && !response.body.empty())
      append_line(head, "Content-Type", "application/json");
    append_line(head, "Content-Length", std::to_string(response.body.size()));
  }
  if (framing.close)
    append_line(head, "Connection", "close");
  else if (framing.http_1_0)
    append_line(head, "Connection", "keep-alive");
  return head.append("\r\n");
}

} // namespace weir
