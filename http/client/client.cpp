#include "http/client/client.hpp"

#include "http/client/exchange.hpp"
#include "http/client/idle_pool.hpp"
#include "http/client/name_lookup.hpp"
#include "http/client/request_head.hpp"
#include "http/client/tls_trust.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace weir {

namespace net = boost::asio;

namespace {

/// Connections that one request may share with another: same place, same trust.
std::string pool_of(const http_peer& peer) {
  return peer.url + '\n' + peer.ca_file;
}

/// Whether a request may reach the peer twice (RFC 9110, 9.2.2). A kept
/// connection may turn out dead when the request is out, and nobody knows then
/// whether the peer had it; so all others go on new connections only.
bool may_repeat(std::string_view method) {
  constexpr std::array<std::string_view, 6> idempotent{
    "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"};
  return std::find(idempotent.begin(), idempotent.end(), method)
    != idempotent.end();
}

expected<exchange::plan> plan_of(uint64_t id, http_request request) {
  exchange::plan plan;
  plan.id = id;
  plan.pool = pool_of(request.peer);
  WEIR_TRY(plan.peer, parse_peer_url(request.peer.url));
  WEIR_TRY(plan.head, build_request_head(request, plan.peer));
  plan.request = std::move(request);
  return plan;
}

void close_on_its_strand(std::shared_ptr<outbound_connection> one) {
  const auto strand = one->strand();
  net::post(strand, [one = std::move(one)] { one->close(); });
}

} // namespace

class http_client::impl final
  : public exchange_home,
    public std::enable_shared_from_this<http_client::impl> {
public:
  impl(net::io_context& io, limits bounds, find_addresses find)
    : io_{io},
      bounds_{bounds},
      open_max_{bounds.open_max},
      names_{std::move(find)},
      idle_{bounds.idle_per_peer_max} {
  }

  void send(request_id id, http_request request, continuation done);
  void abort(request_id id);
  void stop();
  void use_open_max(size_t open_max) {
    open_max_ = open_max;
  }
  figures figures_now() const;

  connection_means means() override {
    return {&names_, &trust_};
  }
  void connected() override {
    ++connects_;
  }
  void keep(const std::string& pool,
            std::shared_ptr<outbound_connection> kept) override;
  void ended(uint64_t id) override;

private:
  std::shared_ptr<exchange> begin(exchange::plan plan, continuation& done,
                                  trouble& refused);
  bool make_room();
  void refuse(trouble why, continuation done);
  void drop(const std::string& pool,
            const std::shared_ptr<outbound_connection>& dead);

  net::io_context& io_;
  const limits bounds_;
  std::atomic<size_t> open_max_;
  name_lookup names_;
  tls_trust trust_;
  std::shared_ptr<std::atomic<uint64_t>> open_
    = std::make_shared<std::atomic<uint64_t>>(0);
  std::atomic<uint64_t> connects_ = 0;

  mutable std::mutex lock_;
  idle_pool<outbound_connection> idle_;
  /// Weak: an exchange lives by the work it has under way.
  std::unordered_map<uint64_t, std::weak_ptr<exchange>> in_flight_;
  uint64_t requests_ = 0;
  bool stopped_ = false;
};

void http_client::impl::send(request_id id, http_request request,
                             continuation done) {
  auto plan = plan_of(id, std::move(request));
  if (!plan)
    return refuse({no_answer::malformed, plan.error().context},
                  std::move(done));
  trouble refused;
  const auto started = begin(std::move(plan.value()), done, refused);
  if (!started)
    return refuse(std::move(refused), std::move(done));
  started->start();
}

std::shared_ptr<exchange> http_client::impl::begin(exchange::plan plan,
                                                   continuation& done,
                                                   trouble& refused) {
  const std::scoped_lock hold{lock_};
  ++requests_;
  if (stopped_) {
    refused = {no_answer::aborted, "the client is stopped"};
    return nullptr;
  }
  const auto id = plan.id;
  if (in_flight_.contains(id)) {
    refused = {no_answer::refused,
               "request id " + std::to_string(id) + " is in flight already"};
    return nullptr;
  }
  auto with = may_repeat(plan.request.method) ? idle_.take(plan.pool) : nullptr;
  const bool kept = with != nullptr;
  if (!kept && !make_room()) {
    refused = {no_answer::refused,
               "too many connections: " + std::to_string(open_max_.load())
                 + " are open"};
    return nullptr;
  }
  if (!kept)
    with = std::make_shared<outbound_connection>(net::make_strand(io_),
                                                 open_slot{open_});
  auto one = std::make_shared<exchange>(std::move(plan), std::move(with), kept,
                                        shared_from_this(), std::move(done));
  in_flight_.emplace(id, one);
  return one;
}

/// Under the lock. A connection that idles gives way to one that is needed.
bool http_client::impl::make_room() {
  if (open_->load() < open_max_.load())
    return true;
  auto oldest = idle_.take_oldest();
  if (!oldest)
    return false;
  close_on_its_strand(std::move(oldest));
  return true;
}

void http_client::impl::refuse(trouble why, continuation done) {
  net::post(io_, [why = std::move(why), done = std::move(done)]() mutable {
    http_answer answer;
    answer.failure = why.why;
    answer.detail = std::move(why.detail);
    done(std::move(answer));
  });
}

void http_client::impl::keep(const std::string& pool,
                             std::shared_ptr<outbound_connection> kept) {
  {
    const std::scoped_lock hold{lock_};
    if (stopped_ || !idle_.keep(pool, kept))
      return kept->close();
  }
  // Who takes it meanwhile does so on this strand, after this handler.
  kept->watch(bounds_.idle_time,
              [weak = weak_from_this(), pool, dead = std::weak_ptr{kept}] {
                const auto self = weak.lock();
                const auto one = dead.lock();
                if (self && one)
                  self->drop(pool, one);
              });
}

void http_client::impl::drop(const std::string& pool,
                             const std::shared_ptr<outbound_connection>& dead) {
  {
    const std::scoped_lock hold{lock_};
    if (!idle_.drop(pool, dead.get()))
      return; // A request took it and will find out by itself.
  }
  dead->close();
}

void http_client::impl::ended(uint64_t id) {
  const std::scoped_lock hold{lock_};
  in_flight_.erase(id);
}

void http_client::impl::abort(request_id id) {
  std::shared_ptr<exchange> one;
  {
    const std::scoped_lock hold{lock_};
    const auto found = in_flight_.find(id);
    if (found != in_flight_.end())
      one = found->second.lock();
  }
  if (one)
    one->abort();
}

void http_client::impl::stop() {
  std::vector<std::shared_ptr<outbound_connection>> idle;
  std::vector<std::shared_ptr<exchange>> busy;
  {
    const std::scoped_lock hold{lock_};
    stopped_ = true;
    idle = idle_.take_all();
    for (const auto& [id, weak] : in_flight_)
      if (auto one = weak.lock())
        busy.push_back(std::move(one));
  }
  names_.stop();
  for (auto& one : idle)
    close_on_its_strand(std::move(one));
  for (const auto& one : busy)
    one->abort();
}

http_client::figures http_client::impl::figures_now() const {
  const std::scoped_lock hold{lock_};
  figures now;
  now.open = open_->load();
  now.idle = idle_.size();
  now.in_flight = in_flight_.size();
  now.requests = requests_;
  now.connects = connects_.load();
  return now;
}

http_client::http_client(net::io_context& io, limits bounds,
                         find_addresses find)
  : impl_{std::make_shared<impl>(io, bounds, std::move(find))} {
}

http_client::~http_client() {
  impl_->stop();
}

void http_client::send(request_id id, http_request request, continuation done) {
  impl_->send(id, std::move(request), std::move(done));
}

void http_client::abort(request_id id) {
  impl_->abort(id);
}

void http_client::use_open_max(size_t open_max) {
  impl_->use_open_max(open_max);
}

void http_client::stop() {
  impl_->stop();
}

http_client::figures http_client::figures_now() const {
  return impl_->figures_now();
}

} // namespace weir
