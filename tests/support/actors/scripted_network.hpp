#pragma once

#include "actors/outbound_http.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace weir::test {

using std::chrono::milliseconds;

/// What the scripted network does with one request.
struct scripted_reply {
  http_answer answer;
  milliseconds after{0};
  bool never = false; ///< Stays open until it is aborted.
};

scripted_reply status(int code, std::vector<http_field> fields = {});
scripted_reply failure(no_answer why);
scripted_reply silence();

/// One request as the network saw it.
struct sent_request {
  uint64_t id = 0;
  http_request request;
  milliseconds at{0}; ///< Virtual time since the fixture began.
  std::optional<milliseconds> closed_at;
};

/// A network without sockets: a script answers, on the virtual clock.
class scripted_network final : public outbound_http {
public:
  explicit scripted_network(std::function<milliseconds()> elapsed)
    : elapsed_{std::move(elapsed)} {
  }

  /// Answers every request; 200 unless a test says otherwise.
  std::function<scripted_reply(const http_request&)> script
    = [](const http_request&) { return status(200); };
  /// False: an aborted request stays open until `close_aborted`.
  bool closes_on_abort = true;

  void send(uint64_t id, http_request request,
            std::function<void(http_answer)> done) override;
  void abort(uint64_t id) override;

  /// Ends an open request with `answer`.
  void answer(uint64_t id, http_answer answer);
  /// Closes what was aborted while `closes_on_abort` was false.
  void close_aborted();
  /// When the next answer is due.
  [[nodiscard]] std::optional<milliseconds> next_due() const;
  void answer_due();
  /// Forgets what is open, without an answer.
  void hang_up();

  [[nodiscard]] const std::vector<sent_request>& all() const {
    return sent_;
  }
  /// Transactions sent to one bridge, in order.
  [[nodiscard]] std::vector<sent_request> sent_to(const std::string& url) const;
  /// When they were sent, in milliseconds.
  [[nodiscard]] std::vector<int64_t> times_to(const std::string& url) const;
  /// The most transactions that were ever open to one bridge at once.
  [[nodiscard]] size_t open_most() const {
    return open_most_;
  }
  [[nodiscard]] size_t open_now() const {
    return open_.size();
  }
  [[nodiscard]] size_t aborts() const {
    return aborts_;
  }

private:
  struct open_request {
    size_t index = 0;
    std::function<void(http_answer)> done;
    bool aborted = false;
  };

  std::function<milliseconds()> elapsed_;
  std::vector<sent_request> sent_;
  std::map<uint64_t, open_request> open_;
  std::multimap<milliseconds, std::pair<uint64_t, http_answer>> due_;
  std::map<std::string, size_t> open_transactions_;
  size_t open_most_ = 0;
  size_t aborts_ = 0;
};

/// The transaction id at the end of a request's target.
std::string txn_of(const http_request& request);

} // namespace weir::test
