#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weir {

using io_strand = boost::asio::strand<boost::asio::io_context::executor_type>;
/// TCP or unix.
using stream_socket = boost::asio::generic::stream_protocol::socket;

/// An address to connect to, and how a person names it.
struct socket_target {
  boost::asio::generic::stream_protocol::endpoint endpoint;
  std::string label;
  bool tcp = true;
};

/// Connects to the first of several addresses that answers: each is alone for
/// its share of the time, then the next is tried beside it, or at once when it
/// fails. Used on its strand only.
class socket_race : public std::enable_shared_from_this<socket_race> {
public:
  socket_race(const io_strand& strand, std::vector<socket_target> targets,
              std::chrono::milliseconds share);

  /// Ends with a winner, when all have failed, or when closed.
  boost::asio::awaitable<void> run();
  /// Closes every socket; `run` ends without a winner.
  void close();

  /// The connected socket, once, after `run`.
  std::optional<stream_socket> take_winner();
  /// Why each address failed, for a person.
  [[nodiscard]] const std::string& failures() const noexcept;

private:
  void start_next();
  void ended(size_t index, const boost::system::error_code& error);
  void failed(size_t index, const boost::system::error_code& error);

  std::vector<socket_target> targets_;
  std::vector<stream_socket> sockets_; ///< Of the targets begun, in order.
  io_strand strand_;
  boost::asio::steady_timer wake_;
  std::chrono::milliseconds share_;
  std::optional<size_t> winner_;
  size_t failed_ = 0;
  bool closed_ = false;
  std::string failures_;
};

} // namespace weir
