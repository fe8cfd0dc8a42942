#include "http/client/name_lookup.hpp"

#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

namespace weir {

namespace {

/// Names whose servers are away block a thread for up to 30 s each; with this
/// many such names at once the others begin to wait.
constexpr size_t threads_max = 16;

/// Addresses of one name that are tried at most.
constexpr size_t addresses_max = 16;

} // namespace

found_addresses find_system_addresses(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  found_addresses found;
  if (const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &list);
      error != 0) {
    found.failure = ::gai_strerror(error);
    return found;
  }
  for (const auto* one = list; one != nullptr; one = one->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    const bool known = ::getnameinfo(one->ai_addr, one->ai_addrlen, text.data(),
                                     text.size(), nullptr, 0, NI_NUMERICHOST)
      == 0;
    if (known && found.addresses.size() < addresses_max)
      found.addresses.emplace_back(text.data());
  }
  ::freeaddrinfo(list);
  if (found.addresses.empty())
    found.failure = "the name has no address";
  return found;
}

struct name_lookup::state {
  std::mutex lock;
  find_addresses find;
  std::deque<std::string> queue; ///< Names that no thread has taken yet.
  std::unordered_map<std::string, std::vector<continuation>> askers;
  size_t threads = 0;
  bool stopped = false;

  /// Under the lock.
  void answer(const std::string& host, const found_addresses& found) {
    auto waiting = askers.extract(host);
    if (stopped || waiting.empty())
      return;
    for (const auto& done : waiting.mapped())
      done(found);
  }
};

name_lookup::name_lookup(find_addresses find)
  : shared_{std::make_shared<state>()} {
  shared_->find = std::move(find);
}

name_lookup::~name_lookup() {
  stop();
}

void name_lookup::find(const std::string& host, continuation done) {
  const std::scoped_lock hold{shared_->lock};
  if (shared_->stopped)
    return;
  auto& askers = shared_->askers[host];
  askers.push_back(std::move(done));
  if (askers.size() > 1)
    return;
  shared_->queue.push_back(host);
  if (shared_->threads >= threads_max)
    return;
  try {
    std::thread{[shared = shared_] { work(shared); }}.detach();
    ++shared_->threads;
  } catch (const std::system_error& error) {
    if (shared_->threads > 0)
      return; // One that runs already will come to it.
    shared_->queue.pop_back();
    shared_->answer(host, {{}, error.code().message()});
  }
}

void name_lookup::work(const std::shared_ptr<state>& shared) {
  std::unique_lock hold{shared->lock};
  while (!shared->queue.empty() && !shared->stopped) {
    const auto host = std::move(shared->queue.front());
    shared->queue.pop_front();
    hold.unlock();
    const auto found = shared->find(host);
    hold.lock();
    shared->answer(host, found);
  }
  --shared->threads;
}

void name_lookup::stop() {
  const std::scoped_lock hold{shared_->lock};
  shared_->stopped = true;
  shared_->queue.clear();
  shared_->askers.clear();
}

} // namespace weir
