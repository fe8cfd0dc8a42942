#include "http/matrix_reply.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <memory>

namespace weir {

namespace {

using namespace std::chrono_literals;

/// A store that is away is mostly away for moments, and a homeserver that was
/// refused waits by its own schedule anyway.
constexpr auto unavailable_retry_after = 5s;

std::string written(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false,
                    nlohmann::ordered_json::error_handler_t::replace);
}

nlohmann::ordered_json error_body(std::string_view errcode,
                                  std::string_view error) {
  return {{"errcode", errcode}, {"error", error}};
}

http_response with_retry_after(http_response response,
                               std::chrono::milliseconds after) {
  const auto seconds
    = std::max(1s, std::chrono::ceil<std::chrono::seconds>(after));
  response.fields.push_back({"Retry-After", std::to_string(seconds.count())});
  return response;
}

http_response away(std::string_view errcode, std::string_view error) {
  return with_retry_after(matrix_error(503, errcode, error),
                          unavailable_retry_after);
}

/// What all copies of one reply share.
class answer_once {
public:
  explicit answer_once(reply passed_on) : passed_on_{std::move(passed_on)} {
  }
  answer_once(const answer_once&) = delete;
  answer_once& operator=(const answer_once&) = delete;
  ~answer_once() {
    if (!called_)
      passed_on_(matrix_error(500, "M_UNKNOWN", "internal error"));
  }

  void call(http_response response) {
    if (!called_.exchange(true))
      passed_on_(std::move(response));
  }

private:
  reply passed_on_;
  std::atomic<bool> called_{false};
};

std::string_view context_or(const error& what, std::string_view phrase) {
  return what.context.empty() ? phrase : std::string_view{what.context};
}

} // namespace

http_response json_reply(int status, std::string body) {
  return {status, {{"Content-Type", "application/json"}}, std::move(body)};
}

http_response json_ok(std::string body) {
  return json_reply(200, std::move(body));
}

http_response matrix_error(int status, std::string_view errcode,
                           std::string_view error) {
  return json_reply(status, written(error_body(errcode, error)));
}

http_response unrecognized() {
  return matrix_error(404, "M_UNRECOGNIZED", "no such path");
}

http_response wrong_method(std::string_view allow) {
  auto response = matrix_error(405, "M_UNRECOGNIZED", "no such method here");
  response.fields.push_back({"Allow", std::string{allow}});
  return response;
}

http_response come_again(std::chrono::milliseconds retry_after,
                         std::string_view error) {
  auto body = error_body("M_LIMIT_EXCEEDED", error);
  body["retry_after_ms"] = retry_after.count();
  return with_retry_after(json_reply(503, written(body)), retry_after);
}

http_response error_reply(const error& what) {
  switch (what.code) {
  case ec::invalid_argument:
    return matrix_error(400, "M_INVALID_PARAM",
                        context_or(what, "invalid argument"));
  case ec::not_json:
    return matrix_error(400, "M_NOT_JSON", context_or(what, "not JSON"));
  case ec::bad_json:
    return matrix_error(400, "M_BAD_JSON",
                        context_or(what, "JSON of another shape"));
  case ec::forbidden:
    return matrix_error(403, "M_FORBIDDEN", context_or(what, "forbidden"));
  case ec::not_found:
    return matrix_error(404, "M_NOT_FOUND", context_or(what, "not found"));
  case ec::not_current:
    return matrix_error(409, "ORG.WEIR.NOT_CURRENT",
                        context_or(what, "not current"));
  case ec::too_large:
    return matrix_error(413, "M_TOO_LARGE", context_or(what, "too large"));
  case ec::full: return come_again(unavailable_retry_after, "full for now");
  case ec::unavailable:
    return away("ORG.WEIR.UNAVAILABLE", "not available for now");
  case ec::in_doubt:
    return away("ORG.WEIR.IN_DOUBT", "it may or may not have been stored");
  case ec::expired: return away("ORG.WEIR.EXPIRED", "not begun in time");
  case ec::superseded:
    return away("ORG.WEIR.SUPERSEDED", "another process owns this now");
  case ec::busy: return away("ORG.WEIR.BUSY", "in use by another process");
  case ec::rejected:
  case ec::corrupt:
  case ec::none: break;
  }
  return matrix_error(500, "M_UNKNOWN", "internal error");
}

http_response done_or_not() {
  return away("ORG.WEIR.UNAVAILABLE",
              "The store did not answer: it was done or was not; see weir "
              "commands when the store is back");
}

reply once_only(reply passed_on) {
  return [once = std::make_shared<answer_once>(std::move(passed_on))](
           http_response response) { once->call(std::move(response)); };
}

} // namespace weir
