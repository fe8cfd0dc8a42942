#pragma once

#include "http/routes/appservice.hpp"
#include "tests/support/memory_store/memory_store.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace weir::test {

/// The bridges and the homeserver as the transport meets them: every request is
/// noted and answered at once by `script`. Thread-safe.
class answering_network final : public outbound_http {
public:
  void send(uint64_t id, http_request request,
            std::function<void(http_answer)> done) override;
  void abort(uint64_t) override {
  }

  /// What is answered; to be set before requests come.
  std::function<http_answer(const http_request&)> script;
  /// Those that are not answered but by `answer_one`, the oldest first.
  std::function<bool(const http_request&)> hangs;
  void answer_one(http_answer answer);
  [[nodiscard]] size_t hanging() const;
  [[nodiscard]] std::vector<http_request> sent() const;

private:
  mutable std::mutex mutex_;
  std::vector<http_request> sent_;
  std::deque<std::function<void(http_answer)>> hanging_;
};

http_answer answer_of(int status, std::string body = "{}");

/// The main listener's routes over a real house on the in-memory store, without
/// a socket. Appservices `irc` (token `irc-token`) and `quiet` (no url, token
/// `quiet-token`).
class routes_fixture {
public:
  routes_fixture();

  memory_database database;
  answering_network network;
  // To be changed before `start`.
  bool quarantine_full = false;
  std::vector<std::pair<std::string, std::string>> appservices{
    {"irc", "http://irc"}, {"quiet", ""}}; ///< Ids and urls.

  void start();
  [[nodiscard]] appservice_routes& routes() const {
    return *routes_;
  }
  [[nodiscard]] const listener_counts& counts() const {
    return routes_->counts();
  }
  [[nodiscard]] house& door() const {
    return *house_;
  }
  [[nodiscard]] const own_pings& pings() const {
    return pings_;
  }
  [[nodiscard]] bridge_board& board() const {
    return *board_;
  }

  /// One request with the token of `appservice`, and its answer; waits at most
  /// 20 s. `path` is that of the appservice API, or begins with `/_weir/`.
  http_response ask(const std::string& method, const std::string& path,
                    const std::string& body = {},
                    const std::string& appservice = "irc");
  /// What the routes wish to be done.
  body_wish wish(const std::string& method, const std::string& path,
                 const std::string& appservice = "irc");
  /// What the routes put off: all that is there runs now. Returns how much.
  size_t run_later();

private:
  expected<std::unique_ptr<store>> connect();

  own_pings pings_{"key"};
  std::shared_ptr<bridge_board> board_;
  std::mutex mutex_;
  std::vector<std::function<void()>> later_;
  std::unique_ptr<house> house_;
  std::unique_ptr<appservice_routes> routes_;
};

/// `wish` with a body, answered; waits at most 20 s.
http_response answered(const body_wish& wish, std::string body);

} // namespace weir::test
