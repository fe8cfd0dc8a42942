#include "actors/homeserver_requests.hpp"

#include "actors/policy/json_members.hpp"
#include "schema/config_values.hpp"
#include "schema/json_string.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace weir {

namespace {

constexpr std::string_view client = "/_matrix/client/v3";
/// Of an account that is in a hundred thousand rooms.
constexpr size_t joined_rooms_bytes_max = size_t{16} << 20;
/// The transport answers by its own deadlines; this is beyond them all.
constexpr auto transport_grace = std::chrono::seconds{10};

http_request request_to(const realm_settings& to, std::string method,
                        std::string target, const secret& token) {
  http_request request;
  request.method = std::move(method);
  request.peer = to.peer;
  request.target = std::move(target);
  request.fields = {{"Content-Type", "application/json"},
                    {"Accept", "application/json"},
                    {"User-Agent", "Weir"}};
  if (!token.empty())
    request.fields.insert(request.fields.begin(),
                          {"Authorization", "Bearer " + token});
  request.deadlines = to.deadlines;
  return request;
}

/// As whom the token of an appservice acts. Both spellings of the device:
/// homeservers from before MSC4326 was accepted know the other one.
std::string acting_as(const std::string& user, const std::string& device) {
  if (user.empty())
    return {};
  auto query = "?user_id=" + encode_path_segment(user);
  if (!device.empty()) {
    const auto name = encode_path_segment(device);
    query += "&device_id=" + name + "&org.matrix.msc3202.device_id=" + name;
  }
  return query;
}

/// The texts among the members of a body that is one JSON object.
std::optional<std::map<std::string, std::string>>
read_texts_of(std::string_view body) {
  auto members = policy::read_members(body);
  if (!members)
    return {};
  std::map<std::string, std::string> texts;
  for (auto& each : *members)
    if (each.value.size() >= 2 && each.value.front() == '"')
      texts.emplace(std::move(each.key),
                    unescape_json(each.value.substr(1, each.value.size() - 2)));
  return texts;
}

policy::send_answer
answer_of(const http_answer& answer,
          const std::optional<std::map<std::string, std::string>>& texts) {
  policy::send_answer result;
  result.failure = answer.failure;
  result.status = answer.status;
  result.has_json = texts.has_value();
  if (!texts)
    return result;
  if (const auto at = texts->find("errcode"); at != texts->end())
    result.errcode = at->second;
  if (const auto at = texts->find("error"); at != texts->end())
    result.error = at->second;
  return result;
}

bool is_good(const http_answer& answer) {
  return answer.failure == no_answer::none && answer.status / 100 == 2;
}

http_request log_in_request_to(const realm_settings& to) {
  auto request = request_to(to, "POST", fmt::format("{}/login", client), {});
  nlohmann::json body{
    {"type", "m.login.password"},
    {"identifier", {{"type", "m.id.user"}, {"user", to.account}}},
    {"password", to.password},
    {"initial_device_display_name", "Weir"}};
  if (!to.device.empty())
    body["device_id"] = to.device;
  request.body = shared_bytes{body.dump()};
  return request;
}

} // namespace

http_request send_request_to(const realm_settings& to, const session_opened& as,
                             const room_id& room, const owed_send& what) {
  auto request = request_to(to, "PUT",
                            fmt::format("{}/rooms/{}/send/{}/{}{}", client,
                                        encode_path_segment(room.value),
                                        encode_path_segment(what.type),
                                        encode_path_segment(what.txn),
                                        acting_as(as.user_id, as.device_id)),
                            as.token);
  request.body = shared_bytes{std::string{what.content}};
  return request;
}

http_request joined_rooms_request_to(const realm_settings& to,
                                     const session_opened& as) {
  auto request = request_to(to, "GET",
                            fmt::format("{}/joined_rooms{}", client,
                                        acting_as(as.user_id, as.device_id)),
                            as.token);
  request.answer_bytes_max = joined_rooms_bytes_max;
  request.whole_body = true;
  return request;
}

http_request sign_in_request_to(const realm_settings& to,
                                policy::sign_in_step step) {
  const auto who = fmt::format("{}/account/whoami", client);
  switch (step) {
  case policy::sign_in_step::log_in: return log_in_request_to(to);
  case policy::sign_in_step::make_device: {
    auto request = request_to(to, "PUT",
                              fmt::format("{}/devices/{}{}", client,
                                          encode_path_segment(to.device),
                                          acting_as(to.account, {})),
                              to.as_token);
    request.body = shared_bytes{std::string{R"({"display_name":"Weir"})"}};
    return request;
  }
  case policy::sign_in_step::ask_who:
    return request_to(to, "GET", who + acting_as(to.account, to.device),
                      to.as_token);
  case policy::sign_in_step::ask_who_bare: break;
  }
  return request_to(to, "GET", who + acting_as(to.account, {}), to.as_token);
}

send_reply read_send_reply(const http_answer& answer) {
  const auto texts = read_texts_of(answer.body);
  send_reply reply{answer_of(answer, texts), {}};
  if (!texts || !is_good(answer))
    return reply;
  if (const auto at = texts->find("event_id"); at != texts->end())
    reply.event_id = at->second;
  reply.of.has_event_id = !reply.event_id.empty();
  return reply;
}

std::optional<bool> read_joined(const http_answer& answer,
                                const room_id& room) {
  if (!is_good(answer))
    return {};
  const auto members = policy::read_members(answer.body);
  if (!members)
    return {};
  const auto list
    = std::find_if(members->begin(), members->end(),
                   [](const auto& each) { return each.key == "joined_rooms"; });
  if (list == members->end())
    return {};
  const auto rooms = policy::read_texts(list->value);
  if (!rooms)
    return {};
  return std::any_of(rooms->begin(), rooms->end(),
                     [&](const auto& each) { return each.text == room.value; });
}

sign_in_reply read_sign_in_reply(const realm_settings& of,
                                 policy::sign_in_step step,
                                 const http_answer& answer) {
  const auto texts = read_texts_of(answer.body);
  sign_in_reply reply;
  reply.of.of = answer_of(answer, texts);
  if (!texts || !is_good(answer))
    return reply;
  const auto text = [&](const char* key) {
    const auto at = texts->find(key);
    return at == texts->end() ? std::string{} : at->second;
  };
  reply.of.is_user = text("user_id") == of.account;
  const auto device = text("device_id");
  reply.of.has_device
    = !device.empty() && (of.device.empty() || device == of.device);
  if (step == policy::sign_in_step::log_in)
    reply.token = text("access_token");
  reply.of.has_token = !reply.token.empty();
  return reply;
}

std::string send_lane(const room_id& room) {
  return send_lanes + room.value;
}

milliseconds patience_with(const http_request& request) {
  const auto& limits = request.deadlines;
  return limits.connect + limits.answer + limits.body + transport_grace;
}

} // namespace weir
