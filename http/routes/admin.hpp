#pragma once

#include "actors/house.hpp"
#include "actors/trace/control.hpp"
#include "http/exchange.hpp"
#include "http/reloader.hpp"
#include "http/routes/admin_json.hpp"
#include "http/routes/scrape.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace weir {

/// The admin listener: who asks is told by a bearer token; the viewer's reads
/// only.
class admin_routes {
public:
  struct drain_progress {
    bool draining = false;
    uint64_t in_flight = 0; ///< Requests to bridges.
  };
  struct options {
    std::string token;
    std::string viewer_token; ///< Empty: there is none.
    /// The page for Prometheus, given what the store told.
    std::function<std::string(const stored_figures&)> metrics;
    /// Runs what takes a while where nobody waits for it; null: at once.
    std::function<void(std::function<void()>)> elsewhere;
    std::function<milliseconds(const appservice_id& id)> sending_for;
    /// Whether the configuration names an appservice; who is not named was let
    /// go and may still be owed something.
    std::function<bool(const std::string& id)> serves;
    /// Reads the configuration again; answers on a thread of its own.
    std::function<void(std::function<void(const reload_report&)>)> reload;
    /// May be null; then there are no paths of it.
    std::shared_ptr<trace::control> trace;
    trace::recorder_options trace_defaults;
    /// Whether an appservice has a url, and whether its queue is at its bound.
    std::function<bool(const std::string& id)> sends;
    std::function<bool(const std::string& id)> is_full;
    /// Begins the end of the process; empty: there are no paths of it.
    std::function<void()> drain;
    std::function<drain_progress()> drain_now;
    /// The bounds of an appservice that is sent something.
    std::function<std::optional<transaction_bounds>(const std::string& id)>
      bounds_of;
  };

  admin_routes(house& door, options settings);

  /// What to do with a request. Thread-safe.
  body_wish handle(const request_head& head);

  /// Requests with a wrong token or none.
  [[nodiscard]] uint64_t unauthorised() const noexcept {
    return unauthorised_;
  }

private:
  using told_queues
    = std::function<void(expected<std::vector<queue_view>>, stored_time)>;

  /// A request whose path is known and whose token is right.
  struct asked_for {
    std::string method;
    std::string path; ///< Behind the API's prefix.
    std::string query;

    [[nodiscard]] std::string_view last_segment() const {
      return std::string_view{path}.substr(path.rfind('/') + 1);
    }
  };
  struct entry {
    std::string_view method; ///< "GET" stands for HEAD too; a viewer may.
    std::string_view path;
    void (admin_routes::*act)(const asked_for&, const reply&);
  };

  static std::span<const entry> entries();
  static bool fits(const entry& one, std::string_view method) {
    return method == one.method || (one.method == "GET" && method == "HEAD");
  }
  body_wish answer_by(const entry& one, const request_head& head,
                      std::string_view what, bool may_act);
  body_wish refuse_token(const request_head& head);
  static body_wish refuse_method(std::span<const entry* const> known);
  void status(const asked_for& what, const reply& answer);
  void metrics(const asked_for& what, const reply& answer);
  void dead_letters(const asked_for& what, const reply& answer);
  void dead_letter(const asked_for& what, const reply& answer);
  void change_letters(const asked_for& what, const reply& answer);
  void appservice(const asked_for& what, const reply& answer);
  void quarantine(const asked_for& what, const reply& answer);
  void quarantined(const asked_for& what, const reply& answer);
  void drop_quarantined(const asked_for& what, const reply& answer);
  void reload(const asked_for& what, const reply& answer);
  void trace(const asked_for& what, const reply& answer);
  void queues(const asked_for& what, const reply& answer);
  void queue(const asked_for& what, const reply& answer);
  void explain(const std::string& id, const reply& answer);
  void explained(const std::string& id, const reply& answer, bool writable,
                 const expected<queues_page>& page);
  void command(const asked_for& what, const reply& answer);
  void commands(const asked_for& what, const reply& answer);
  void realms(const asked_for& what, const reply& answer);
  void realm(const asked_for& what, const reply& answer);
  void order_realm(const asked_for& what, const reply& answer);
  void drain(const asked_for& what, const reply& answer);
  [[nodiscard]] bool serves(const std::string& id) const;
  [[nodiscard]] queue_surroundings around(const std::string& id) const;
  void all_queues(const told_queues& done);
  void next_queues(const std::shared_ptr<std::vector<queue_view>>& so_far,
                   int64_t after, const told_queues& done);

  house& house_;
  options options_;
  std::atomic<uint64_t> unauthorised_{0};
};

/// `/health` (the process answers) and `/ready` (the store commits), on both
/// listeners and without a token, for GET and HEAD. Nothing for other paths.
std::optional<body_wish> page_for_anybody(const request_head& head,
                                          house& door);

} // namespace weir
