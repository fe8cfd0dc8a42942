#include "tests/demo/bridge.hpp"

#include "tests/demo/process.hpp"

namespace demo {

bridge::bridge(int work_ms)
  : work_ms_{work_ms},
    peer_{[this](const incoming& request) { return take(request); }} {
}

bridge_record bridge::seen() const {
  const std::lock_guard lock{mutex_};
  return record_;
}

answer bridge::take(const incoming& request) {
  static const std::string path = "/_matrix/app/v1/transactions/";
  if (request.method != "PUT" || request.target.rfind(path, 0) != 0)
    return {404, R"({"errcode":"M_UNRECOGNIZED","error":"not here"})"};
  pause_ms(work_ms_);
  const std::lock_guard lock{mutex_};
  const auto [known, fresh]
    = bodies_.emplace(request.target.substr(path.size()), request.body);
  if (!fresh) {
    (known->second == request.body ? record_.repeats : record_.altered)++;
    return {};
  }
  record_.transactions++;
  static const std::string key = R"("event_id":")";
  for (auto at = request.body.find(key); at != std::string::npos;
       at = request.body.find(key, at)) {
    at += key.size();
    record_.events.push_back(
      request.body.substr(at, request.body.find('"', at) - at));
  }
  return {};
}

} // namespace demo
