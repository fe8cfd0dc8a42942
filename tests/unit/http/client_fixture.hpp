#pragma once

#include "http/client/client.hpp"
#include "tests/unit/http/client_peer.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace weir::test {

/// Longer than any answer of a peer in this process should take; a test that
/// reaches it has failed.
inline constexpr std::chrono::seconds patience{30};

/// A client whose io_context is run by threads of its own.
class client_fixture {
public:
  explicit client_fixture(http_client::limits bounds = {},
                          find_addresses find = find_system_addresses,
                          size_t threads = 2)
    : client{io_, bounds, std::move(find)} {
    for (size_t i = 0; i < threads; ++i)
      threads_.emplace_back([this] { io_.run(); });
  }

  ~client_fixture() {
    client.stop();
    work_.reset();
    for (auto& thread : threads_)
      thread.join();
  }

  std::future<http_answer> begin(http_request request) {
    auto promise = std::make_shared<std::promise<http_answer>>();
    auto future = promise->get_future();
    last_id = ++ids_;
    client.send(last_id, std::move(request), [promise](http_answer answer) {
      promise->set_value(std::move(answer));
    });
    return future;
  }

  http_answer ask(http_request request) {
    return wait(begin(std::move(request)));
  }

  static http_answer wait(std::future<http_answer> answer) {
    REQUIRE(answer.wait_for(patience) == std::future_status::ready);
    return answer.get();
  }

  /// Until `happened` holds; for what the peer does between requests.
  template <class Predicate>
  static bool eventually(Predicate happened) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!happened() && std::chrono::steady_clock::now() < until)
      std::this_thread::yield();
    return happened();
  }

private:
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_
    = boost::asio::make_work_guard(io_);
  http_client::request_id ids_ = 0;
  std::vector<std::thread> threads_;

public:
  http_client client;
  http_client::request_id last_id = 0;
};

inline http_request get_from(std::string url, std::string target = "/") {
  http_request request;
  request.method = "GET";
  request.peer.url = std::move(url);
  request.target = std::move(target);
  return request;
}

inline http_request put_to(std::string url, std::string body,
                           std::string target = "/") {
  auto request = get_from(std::move(url), std::move(target));
  request.method = "PUT";
  request.body = shared_bytes{std::move(body)};
  return request;
}

} // namespace weir::test
