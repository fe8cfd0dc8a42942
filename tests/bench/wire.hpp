#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// Ends the program with a sentence: a bench that goes on after a fault would
/// print figures of something else.
[[noreturn]] void give_up(const std::string& why);

/// A descriptor that is closed with its owner.
class descriptor {
public:
  explicit descriptor(int number = -1) : number_{number} {
  }
  descriptor(descriptor&& other) noexcept;
  descriptor& operator=(descriptor&& other) noexcept;
  ~descriptor();

  [[nodiscard]] int get() const noexcept {
    return number_;
  }
  [[nodiscard]] bool open() const noexcept {
    return number_ >= 0;
  }

private:
  int number_;
};

/// A loopback listener; port 0 lets the system choose.
struct listener {
  descriptor socket;
  uint16_t port = 0;
};
listener listen_on_loopback(uint16_t port = 0);

/// A loopback port that nobody listens on at the moment.
uint16_t free_port();

/// The next connection of a listener; waits for it.
descriptor accept_from(const listener& from);

/// A connection to a loopback port; closed when nobody listens there.
descriptor connect_to(uint16_t port);

/// A whole HTTP/1.1 message. The views are good until the next `fill`.
struct message {
  std::string_view first_line; ///< Without its line end.
  std::string_view head;       ///< First line and fields.
  std::string_view body;
};

/// One keep-alive connection: whole messages out of a blocking socket. Bodies
/// by Content-Length only, which is all that the parts of a bench send.
class wire {
public:
  explicit wire(descriptor socket);

  [[nodiscard]] int socket() const noexcept {
    return socket_.get();
  }

  /// Reads once, waiting for at least one byte; false at the end.
  bool fill();

  /// The next whole message that was read; nothing when more must be read.
  std::optional<message> take();

  /// Waits for a whole message; nothing when the peer closes first.
  std::optional<message> wait();

  /// Sends both parts as one; false when the peer has gone.
  bool send(std::string_view head, std::string_view body);

private:
  descriptor socket_;
  std::vector<char> buffer_;
  size_t begin_ = 0; ///< First byte that was not taken.
  size_t end_ = 0;   ///< End of what was read.
};

/// The status in the first line of an answer; 0 when there is none.
int status_of(const message& answer);

/// Head of a PUT with a JSON body.
std::string put_head(std::string_view target, std::string_view token,
                     size_t body_bytes);

/// `200` with `{}` as its body.
inline constexpr std::string_view accepted_answer
  = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    "Content-Length: 2\r\n\r\n{}";

} // namespace bench
