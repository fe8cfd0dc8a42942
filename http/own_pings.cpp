#include "http/own_pings.hpp"

#include "schema/config_values.hpp"
#include "schema/hash.hpp"

#include <nlohmann/json.hpp>

namespace weir {

namespace {

constexpr size_t nonce_bytes = 8;
/// A homeserver sends the id and little else. What is longer is none of ours,
/// and is not parsed: a tree of the largest body takes a multiple of its bytes.
constexpr size_t own_ping_bytes_max = size_t{4} << 10;
constexpr std::string_view prefix = "weir-";

} // namespace

std::string own_pings::sign(const appservice_id& appservice,
                            std::string_view nonce) const {
  std::string message{nonce};
  message.append("/").append(appservice.value);
  return hmac_sha256_hex(key_, message);
}

std::string own_pings::make_id(const appservice_id& appservice) const {
  const auto nonce = random_hex(nonce_bytes);
  return std::string{prefix} + nonce + "-" + sign(appservice, nonce);
}

bool own_pings::is_own(const appservice_id& appservice,
                       std::string_view body) const {
  if (body.size() > own_ping_bytes_max)
    return false;
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object() || !json.contains("transaction_id")
      || !json["transaction_id"].is_string())
    return false;
  const auto id = json["transaction_id"].get<std::string>();
  const auto nonce_end = prefix.size() + 2 * nonce_bytes;
  if (id.size() <= nonce_end || !id.starts_with(prefix) || id[nonce_end] != '-')
    return false;
  const auto nonce
    = std::string_view{id}.substr(prefix.size(), 2 * nonce_bytes);
  return equal_in_constant_time(std::string_view{id}.substr(nonce_end + 1),
                                sign(appservice, nonce));
}

http_request own_pings::request(const appservice_id& appservice,
                                const http_peer& homeserver,
                                const std::string& as_token) const {
  http_request request;
  request.method = "POST";
  request.peer = homeserver;
  request.target = "/_matrix/client/v1/appservice/"
    + encode_path_segment(appservice.value) + "/ping";
  request.fields = {{"Authorization", "Bearer " + as_token},
                    {"Content-Type", "application/json"},
                    {"Accept", "application/json"},
                    {"User-Agent", "Weir"}};
  request.body = shared_bytes{
    nlohmann::json{{"transaction_id", make_id(appservice)}}.dump()};
  return request;
}

} // namespace weir
