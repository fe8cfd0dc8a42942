#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace weir {

/// What a host name stands for.
struct found_addresses {
  std::vector<std::string> addresses; ///< Literals, best first.
  std::string failure;                ///< Why there are none.
};

/// Asks for a name's addresses and blocks until they are known.
using find_addresses = std::function<found_addresses(const std::string& host)>;

/// What the system's resolver says, IPv4 and IPv6 in its order.
found_addresses find_system_addresses(const std::string& host);

/// Runs look-ups beside the I/O threads. Asio's own resolver has a single
/// thread, so one name whose servers are away would hold up every other name.
/// Several askers of one name share a look-up. Thread-safe.
class name_lookup {
public:
  using continuation = std::function<void(const found_addresses&)>;

  explicit name_lookup(find_addresses find);
  ~name_lookup();
  name_lookup(const name_lookup&) = delete;
  name_lookup& operator=(const name_lookup&) = delete;

  /// `done` runs at most once, on a look-up thread, under the lock: it must
  /// only hand the addresses over. Look-ups are bounded in number; further
  /// names wait for a thread, and the asker's own deadline is what ends that.
  void find(const std::string& host, continuation done);

  /// When this returns no continuation runs any more. A look-up that blocks is
  /// left behind and ends by itself.
  void stop();

private:
  struct state;
  static void work(const std::shared_ptr<state>& shared);
  std::shared_ptr<state> shared_;
};

} // namespace weir
