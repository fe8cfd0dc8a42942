#include "http/client/request_head.hpp"

#include <algorithm>
#include <array>

namespace weir {

namespace {

/// Source: RFC 9110, "Tokens".
bool is_token(std::string_view text) {
  static constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
      || (c >= '0' && c <= '9') || marks.find(c) != marks.npos;
  });
}

/// Recipients may split a request line at any of these.
/// Source: RFC 9112, "Request Line".
bool splits_request_line(char c) {
  return c == ' ' || c == '\r' || c == '\n' || c == '\0' || c == '\t'
    || c == '\v' || c == '\f';
}

bool ends_field(char c) {
  return c == '\r' || c == '\n' || c == '\0';
}

bool is_same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

bool is_transport_field(std::string_view name) {
  constexpr std::array<std::string_view, 10> ours{
    "host",       "content-length",   "connection", "expect",
    "keep-alive", "proxy-connection", "te",         "trailer",
    "upgrade",    "transfer-encoding"};
  return std::any_of(ours.begin(), ours.end(),
                     [&](auto our) { return is_same_name(name, our); });
}

/// A body may be empty where the method means one; then its length is said.
bool says_length(const http_request& request) {
  return !request.body.empty() || request.method == "PUT"
    || request.method == "POST" || request.method == "PATCH";
}

expected<void> append_fields(std::string& head,
                             const std::vector<http_field>& fields) {
  for (const auto& field : fields) {
    if (!is_token(field.name))
      return fail(ec::invalid_argument, "a field's name is no token");
    if (std::any_of(field.value.begin(), field.value.end(), ends_field))
      return fail(ec::invalid_argument,
                  "field " + field.name + " holds CR, LF or NUL");
    if (is_transport_field(field.name))
      continue;
    head.append(field.name).append(": ").append(field.value).append("\r\n");
  }
  return ok();
}

} // namespace

expected<std::string> build_request_head(const http_request& request,
                                         const peer_endpoint& peer) {
  if (!is_token(request.method))
    return fail(ec::invalid_argument, "the method is no token");
  const auto& target = request.target;
  if (std::any_of(target.begin(), target.end(), splits_request_line))
    return fail(ec::invalid_argument,
                "the target holds white space, CR, LF or NUL");
  std::string head = request.method + " " + peer.base_path;
  if (!target.starts_with('/'))
    head += '/';
  head.append(target).append(" HTTP/1.1\r\nHost: ").append(peer.host_field);
  head.append("\r\nConnection: keep-alive\r\n");
  WEIR_TRY(append_fields(head, request.fields));
  if (says_length(request))
    head += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  head += "\r\n";
  return head;
}

} // namespace weir
