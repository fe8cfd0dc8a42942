#include "http/matrix_reply.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace weir;
using namespace std::chrono_literals;

namespace {

std::string errcode(const http_response& response) {
  return nlohmann::json::parse(response.body)["errcode"];
}

} // namespace

TEST_CASE("matrix reply: success is a JSON body with its type") {
  const auto response = json_ok();
  CHECK(response.status == 200);
  CHECK(response.body == "{}");
  CHECK(find_field(response.fields, "content-type") == "application/json");
}

TEST_CASE("matrix reply: any text makes valid JSON") {
  const std::string hostile = "a\"b\\c\n\x01\xFF{}";
  const auto body
    = nlohmann::json::parse(matrix_error(400, "M_UNKNOWN", hostile).body);
  CHECK(body["errcode"] == "M_UNKNOWN");
  CHECK(body["error"] == "a\"b\\c\n\x01\xEF\xBF\xBD{}");
  CHECK(matrix_error(400, "A", "b").body == R"({"errcode":"A","error":"b"})");
}

TEST_CASE("matrix reply: paths and methods that are unknown are told apart") {
  CHECK(unrecognized().status == 404);
  CHECK(errcode(unrecognized()) == "M_UNRECOGNIZED");
  const auto response = wrong_method("PUT");
  CHECK(response.status == 405);
  CHECK(errcode(response) == "M_UNRECOGNIZED");
  CHECK(find_field(response.fields, "allow") == "PUT");
}

TEST_CASE("matrix reply: a refusal says when to come again, in whole seconds") {
  const auto response = come_again(1500ms, "later");
  CHECK(response.status == 503);
  CHECK(errcode(response) == "M_LIMIT_EXCEEDED");
  CHECK(find_field(response.fields, "retry-after") == "2");
  CHECK(nlohmann::json::parse(response.body)["retry_after_ms"] == 1500);
  CHECK(find_field(come_again(0ms, "now").fields, "retry-after") == "1");
}

TEST_CASE("matrix reply: each kind of failure has its status and code") {
  struct row {
    ec code;
    int status;
    std::string errcode;
  };
  for (const auto& want :
       std::vector<row>{{ec::invalid_argument, 400, "M_INVALID_PARAM"},
                        {ec::not_json, 400, "M_NOT_JSON"},
                        {ec::bad_json, 400, "M_BAD_JSON"},
                        {ec::forbidden, 403, "M_FORBIDDEN"},
                        {ec::not_found, 404, "M_NOT_FOUND"},
                        {ec::not_current, 409, "ORG.WEIR.NOT_CURRENT"},
                        {ec::too_large, 413, "M_TOO_LARGE"},
                        {ec::full, 503, "M_LIMIT_EXCEEDED"},
                        {ec::unavailable, 503, "ORG.WEIR.UNAVAILABLE"},
                        {ec::in_doubt, 503, "ORG.WEIR.IN_DOUBT"},
                        {ec::expired, 503, "ORG.WEIR.EXPIRED"},
                        {ec::superseded, 503, "ORG.WEIR.SUPERSEDED"},
                        {ec::busy, 503, "ORG.WEIR.BUSY"},
                        {ec::rejected, 500, "M_UNKNOWN"},
                        {ec::corrupt, 500, "M_UNKNOWN"},
                        {ec::none, 500, "M_UNKNOWN"}}) {
    CAPTURE(to_string(want.code));
    const auto response = error_reply({want.code, "deep inside"});
    CHECK(response.status == want.status);
    CHECK(errcode(response) == want.errcode);
    CHECK(find_field(response.fields, "retry-after").empty()
          == (want.status != 503));
    CHECK((response.body.find("deep inside") != std::string::npos)
          == (want.status < 500));
  }
}
