#pragma once

#include "http/client/name_lookup.hpp"
#include "http/client/peer_endpoint.hpp"
#include "http/client/socket_race.hpp"
#include "schema/http.hpp"

#include <boost/asio/ssl/stream.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace weir {

class tls_trust;

/// Counts one open connection for as long as it lives.
class open_slot {
public:
  open_slot() = default;
  explicit open_slot(std::shared_ptr<std::atomic<uint64_t>> open);
  ~open_slot();
  open_slot(open_slot&& other) noexcept;
  open_slot& operator=(open_slot&& other) noexcept;

private:
  std::shared_ptr<std::atomic<uint64_t>> open_;
};

/// What a connection needs of others to come about. Outlives `open`.
struct connection_means {
  name_lookup* names = nullptr;
  tls_trust* trust = nullptr;
};

/// Why something did not work; `none`: it did.
struct trouble {
  no_answer why = no_answer::none;
  std::string detail;
};

/// One connection to a peer, plain or TLS, over TCP or a unix socket. Every
/// member is called on its strand only.
class outbound_connection
  : public std::enable_shared_from_this<outbound_connection> {
public:
  outbound_connection(const io_strand& strand, open_slot slot);

  [[nodiscard]] const io_strand& strand() const noexcept {
    return strand_;
  }

  /// Looks the name up, connects, shakes hands. Has no deadline of its own
  /// beyond sharing `deadline` between addresses: whoever waits calls `close`.
  boost::asio::awaitable<trouble> open(const peer_endpoint& peer,
                                       const std::string& ca_file,
                                       std::chrono::milliseconds deadline,
                                       connection_means means);
  /// What `open` is at, for the person who reads that it took too long.
  [[nodiscard]] const std::string& stage() const noexcept {
    return stage_;
  }

  /// Writes both, which must live until `done` has run.
  void write(std::string_view head, std::string_view body,
             std::function<void(boost::system::error_code)> done);

  struct read_result {
    boost::system::error_code error;
    size_t size = 0;
  };
  boost::asio::awaitable<read_result> read_some(std::span<char> into);

  /// Waits, idle, until the peer sends or closes, or `idle_time` is over; then
  /// `dead` runs, at most once.
  void watch(std::chrono::milliseconds idle_time, std::function<void()> dead);
  /// Ends `watch`. True when the next bytes belong to the next request.
  bool wake();

  /// Open, and nothing has come that nobody has asked for.
  [[nodiscard]] bool silent();

  /// Cancels everything under way. Idempotent.
  void close();
  [[nodiscard]] bool closed() const noexcept {
    return closed_;
  }
  /// Before `close`: lets a new connection take this one's place.
  open_slot take_slot() noexcept {
    return std::move(slot_);
  }

private:
  void wait_for_sound();
  void die();
  using tls_stream = boost::asio::ssl::stream<stream_socket&>;

  boost::asio::awaitable<trouble> look_up(const std::string& host,
                                          name_lookup& names,
                                          std::vector<std::string>& addresses);
  boost::asio::awaitable<trouble> connect(std::vector<socket_target> targets,
                                          std::chrono::milliseconds share);
  boost::asio::awaitable<trouble> shake_hands(const std::string& host,
                                              const std::string& ca_file,
                                              tls_trust& trust);

  io_strand strand_;
  open_slot slot_;
  stream_socket socket_;
  std::optional<tls_stream> tls_;
  boost::asio::steady_timer timer_; ///< While opening, then while idle.
  std::shared_ptr<socket_race> race_;
  std::optional<found_addresses> found_;
  std::string stage_;
  std::function<void()> dead_;
  uint64_t watch_turn_ = 0; ///< An old wait's end is ignored.
  bool closed_ = false;
};

} // namespace weir
