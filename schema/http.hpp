#pragma once

#include "schema/bytes.hpp"
#include "schema/guarded.hpp"

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir {

/// One header field; names compare without regard to case.
struct http_field {
  std::string name;
  std::string value;
  friend bool operator==(const http_field&, const http_field&) = default;
};
BOOST_DESCRIBE_STRUCT(http_field, (), (name, value))

/// Whether two field names are the same, without regard to ASCII case.
bool same_field_name(std::string_view a, std::string_view b) noexcept;

/// The value of the first field called `name`, or an empty view.
std::string_view find_field(const std::vector<http_field>& fields,
                            std::string_view name) noexcept;

/// How long each phase of one request may take. The transport alone owns these.
struct http_deadlines {
  std::chrono::milliseconds connect{10'000}; ///< Name, connect, TLS: together.
  /// From the first byte written to the head of the answer.
  std::chrono::milliseconds answer{120'000};
  std::chrono::milliseconds body{30'000}; ///< From the head to the last byte.
  friend bool operator==(const http_deadlines&, const http_deadlines&)
    = default;
};
BOOST_DESCRIBE_STRUCT(http_deadlines, (), (connect, answer, body))

/// A peer: where it listens and how it is trusted.
struct http_peer {
  /// `http://host[:port][/base]`, `https://…`, `unix:/path/to/socket` or
  /// `unix:///path`; IPv6 literals in brackets; no trailing slash, no userinfo,
  /// no query. For a unix socket requests carry `Host: localhost`.
  std::string url;
  /// PEM file with the authorities to trust instead of the system's.
  std::string ca_file;
  friend bool operator==(const http_peer&, const http_peer&) = default;
};
BOOST_DESCRIBE_STRUCT(http_peer, (), (url, ca_file))

/// One outgoing request, HTTP/1.1 with Content-Length, never compressed, never
/// with Expect. `Host`, `Content-Length` and `Connection` are the transport's.
struct http_request {
  std::string method;
  http_peer peer;
  /// Raw path and query, starting with '/', joined to the peer's base path and
  /// otherwise sent as it is.
  request_target target;
  std::vector<http_field> fields;
  shared_bytes body;
  http_deadlines deadlines;
  /// Answer bodies are cut here, or refused when `whole_body` is set.
  size_t answer_bytes_max = size_t{64} << 10;
  bool whole_body = false;
};
BOOST_DESCRIBE_STRUCT(http_request, (),
                      (method, peer, target, fields, body, deadlines,
                       answer_bytes_max, whole_body))

/// Why there is no answer.
enum class no_answer : uint8_t {
  none = 0, ///< There is one.
  name,     ///< The host name has no address.
  refused,  ///< No connection: refused, unreachable, no such socket.
  tls,      ///< Handshake or certificate.
  connect_timeout,
  answer_timeout, ///< The request was written; no head came in time.
  reset,          ///< The peer closed or reset before the head was whole.
  malformed,      ///< What came is not HTTP.
  too_large,      ///< The answer's body passed the bound of `whole_body`.
  aborted,        ///< We were told to give it up.
};
BOOST_DESCRIBE_ENUM(no_answer, none, name, refused, tls, connect_timeout,
                    answer_timeout, reset, malformed, too_large, aborted)

/// The enumerator's name.
std::string_view to_string(no_answer why) noexcept;

/// What became of one request. When `failure` is not `none` the connection is
/// closed already, so a retry cannot overlap it.
struct http_answer {
  no_answer failure = no_answer::none;
  std::string detail; ///< For a person; of a failure.
  int status = 0;     ///< 0 when there was no head.
  std::vector<http_field> fields;
  answer_bytes body; ///< At most `answer_bytes_max`.
  std::chrono::milliseconds took{0};
};
BOOST_DESCRIBE_STRUCT(http_answer, (),
                      (failure, detail, status, fields, body, took))

/// An answer that is none.
inline http_answer unanswered(no_answer why, std::string detail) {
  http_answer result;
  result.failure = why;
  result.detail = std::move(detail);
  return result;
}

} // namespace weir
