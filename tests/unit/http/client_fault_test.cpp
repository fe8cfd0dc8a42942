#include "tests/unit/http/client_fixture.hpp"

using namespace weir;
using namespace weir::test;
using namespace std::chrono_literals;

namespace {

/// More than the buffers of two loopback sockets hold.
const std::string large_body(size_t{32} << 20, 'x');

const std::string begun = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc";

/// Reads a request, says `text`, and then nothing for as long as it may.
peer_script say_and_hang(std::string text) {
  return [text = std::move(text)](peer_connection& client, size_t) {
    client.read_request();
    client.write(text);
    client.wait_closed();
  };
}

} // namespace

TEST_CASE("http client: a closed port is refused, by its address") {
  uint16_t port = 0;
  {
    scripted_peer gone{answer_all({})};
    port = gone.port();
  }
  client_fixture with;
  const auto place = "127.0.0.1:" + std::to_string(port);
  const auto answer = with.ask(get_from("http://" + place));
  CHECK(answer.failure == no_answer::refused);
  CHECK(answer.detail == "connect " + place + ": Connection refused");
  CHECK(answer.status == 0);
}

TEST_CASE("http client: a connection that does not come about times out") {
  scripted_peer deaf{{}, {.deaf = true}};
  client_fixture with;
  auto request = get_from(deaf.url());
  request.deadlines.connect = 30ms;
  const auto answer = with.ask(request);
  CHECK(answer.failure == no_answer::connect_timeout);
  CHECK(answer.detail
        == "connect 127.0.0.1:" + std::to_string(deaf.port())
          + ": not done within 30 ms");
  CHECK(answer.took >= 30ms);
  CHECK(with.client.figures_now().open == 0);
}

TEST_CASE("http client: a peer that hangs times out, closed before we say so") {
  std::promise<void> closed;
  scripted_peer peer{[&](peer_connection& client, size_t) {
    client.read_request();
    client.wait_closed();
    closed.set_value();
  }};
  client_fixture with;
  auto request = put_to(peer.url(), "{}");
  request.deadlines.answer = 30ms;
  const auto answer = with.ask(request);
  CHECK(answer.failure == no_answer::answer_timeout);
  CHECK(answer.detail
        == "no answer from 127.0.0.1:" + std::to_string(peer.port())
          + " within 30 ms");
  CHECK(with.client.figures_now().open == 0);
  CHECK(closed.get_future().wait_for(patience) == std::future_status::ready);
}

TEST_CASE("http client: a head that never ends times out") {
  scripted_peer peer{say_and_hang("HTTP/1.1 200 OK\r\nContent-")};
  client_fixture with;
  auto request = put_to(peer.url(), "{}");
  request.deadlines.answer = 30ms;
  const auto answer = with.ask(request);
  CHECK(answer.failure == no_answer::answer_timeout);
  CHECK(answer.status == 0);
}

TEST_CASE("http client: interim answers do not prolong the deadline") {
  scripted_peer peer{say_and_hang("HTTP/1.1 102 Processing\r\n\r\n")};
  client_fixture with;
  auto request = put_to(peer.url(), "{}");
  request.deadlines.answer = 30ms;
  CHECK(with.ask(request).failure == no_answer::answer_timeout);
}

TEST_CASE("http client: a peer that does not take the body times out") {
  scripted_peer peer{[](peer_connection& client, size_t) {
    client.read_head();
    client.wait_shut();
  }};
  client_fixture with;
  auto request = put_to(peer.url(), large_body);
  request.deadlines.answer = 50ms;
  const auto answer = with.ask(request);
  CHECK(answer.failure == no_answer::answer_timeout);
  CHECK(answer.detail.starts_with("request not taken whole, no answer from "));
}

TEST_CASE("http client: a reset before the head is a reset") {
  scripted_peer peer{[](peer_connection& client, size_t number) {
    client.read_request();
    if (number == 1)
      client.write("HTTP/1.1 200 OK\r\n");
    client.reset();
  }};
  client_fixture with;
  const auto answer = with.ask(put_to(peer.url(), "{}"));
  CHECK(answer.failure == no_answer::reset);
  CHECK(answer.detail
        == "read from 127.0.0.1:" + std::to_string(peer.port())
          + ": Connection reset by peer");
  CHECK(with.ask(put_to(peer.url(), "{}")).failure == no_answer::reset);
  CHECK(peer.accepted() == 2);
}

TEST_CASE("http client: a close before the head is a reset, not tried again") {
  scripted_peer peer{
    [](peer_connection& client, size_t) { client.read_request(); }};
  client_fixture with;
  const auto answer = with.ask(put_to(peer.url(), "{}"));
  CHECK(answer.failure == no_answer::reset);
  CHECK(answer.detail == "the peer closed before it answered");
  CHECK(peer.accepted() == 1);
}

TEST_CASE("http client: a body cut after the head leaves a push accepted") {
  scripted_peer peer{[](peer_connection& client, size_t) {
    client.read_request();
    client.write(begun);
    client.close();
  }};
  client_fixture with;
  auto request = put_to(peer.url(), "{}");
  const auto push = with.ask(request);
  CHECK(push.failure == no_answer::none);
  CHECK(push.status == 200);
  CHECK(push.body == "abc");
  request.whole_body = true;
  CHECK(with.ask(request).failure == no_answer::reset);
  CHECK(with.client.figures_now().open == 0);
}

TEST_CASE("http client: a body that stalls leaves a push accepted") {
  scripted_peer peer{say_and_hang(begun)};
  client_fixture with;
  auto request = put_to(peer.url(), "{}");
  request.deadlines.body = 30ms;
  const auto push = with.ask(request);
  CHECK(push.failure == no_answer::none);
  CHECK(push.status == 200);
  request.whole_body = true;
  const auto whole = with.ask(request);
  CHECK(whole.failure == no_answer::answer_timeout);
  CHECK(whole.detail == "the answer's body was not whole within 30 ms");
  CHECK(with.client.figures_now().open == 0);
}

TEST_CASE("http client: an early 413 is read while the body is written") {
  scripted_peer peer{[](peer_connection& client, size_t) {
    client.read_head();
    client.write(answer_text(413, "too much", "Connection: close\r\n"));
    client.half_close();
    client.wait_closed();
  }};
  client_fixture with;
  const auto answer = with.ask(put_to(peer.url(), large_body));
  CHECK(answer.failure == no_answer::none);
  CHECK(answer.status == 413);
  CHECK(answer.body == "too much");
  CHECK(with.client.figures_now().open == 0);
}

TEST_CASE(
  "http client: an early 401 from a peer that reads no further counts") {
  scripted_peer peer{[](peer_connection& client, size_t) {
    client.read_head();
    client.write(answer_text(401, "{}"));
    client.wait_shut();
  }};
  client_fixture with;
  const auto answer = with.ask(put_to(peer.url(), large_body));
  CHECK(answer.failure == no_answer::none);
  CHECK(answer.status == 401);
  // The rest of the body was never sent: nobody may use this connection.
  CHECK(with.client.figures_now().open == 0);
}

TEST_CASE("http client: what is not HTTP is malformed") {
  scripted_peer peer{say_and_hang("SSH-2.0-OpenSSH_9.2\r\n\r\n")};
  client_fixture with;
  const auto answer = with.ask(put_to(peer.url(), "{}"));
  CHECK(answer.failure == no_answer::malformed);
  CHECK(answer.detail.starts_with("answer is not HTTP: "));
}

TEST_CASE("http client: abort closes first, then answers, once") {
  std::promise<void> asked;
  std::promise<void> closed;
  scripted_peer peer{[&](peer_connection& client, size_t) {
    client.read_request();
    asked.set_value();
    client.wait_closed();
    closed.set_value();
  }};
  client_fixture with;
  auto pending = with.begin(put_to(peer.url(), "{}"));
  asked.get_future().wait();
  with.client.abort(with.last_id + 1);
  CHECK(pending.wait_for(0ms) == std::future_status::timeout);
  with.client.abort(with.last_id);
  with.client.abort(with.last_id);
  const auto answer = client_fixture::wait(std::move(pending));
  CHECK(answer.failure == no_answer::aborted);
  CHECK(with.client.figures_now().open == 0);
  CHECK(closed.get_future().wait_for(patience) == std::future_status::ready);
  with.client.abort(with.last_id);
}

TEST_CASE("http client: stop answers every request in flight, and later ones") {
  scripted_peer hanging{say_and_hang({})};
  scripted_peer deaf{{}, {.deaf = true}};
  scripted_peer well{answer_all(answer_text(200))};
  client_fixture with;
  CHECK(with.ask(get_from(well.url())).status == 200);
  std::vector<std::future<http_answer>> pending;
  for (int i = 0; i < 20; ++i) {
    pending.push_back(with.begin(put_to(hanging.url(), "{}")));
    pending.push_back(with.begin(put_to(deaf.url(), "{}")));
  }
  with.client.stop();
  for (auto& one : pending)
    CHECK(client_fixture::wait(std::move(one)).failure == no_answer::aborted);
  CHECK(with.ask(get_from(well.url())).failure == no_answer::aborted);
  CHECK(client_fixture::eventually(
    [&] { return with.client.figures_now().open == 0; }));
}

TEST_CASE("http client: it may go before its requests are answered") {
  boost::asio::io_context io;
  scripted_peer peer{say_and_hang({})};
  size_t answered = 0;
  {
    http_client client{io};
    for (http_client::request_id id = 0; id < 10; ++id)
      client.send(id, put_to(peer.url(), "{}"), [&](http_answer answer) {
        CHECK(answer.failure == no_answer::aborted);
        ++answered;
      });
  }
  io.run();
  CHECK(answered == 10);
}

TEST_CASE("http client: its io_context may end with requests under way") {
  scripted_peer peer{say_and_hang({})};
  size_t answered = 0;
  {
    boost::asio::io_context io;
    http_client client{io};
    for (http_client::request_id id = 0; id < 10; ++id)
      client.send(id, put_to(peer.url(), "{}"),
                  [&](http_answer) { ++answered; });
    CHECK(client_fixture::eventually([&] {
      io.poll();
      return peer.accepted() == 10;
    }));
  }
  CHECK(answered == 0);
}

TEST_CASE("http client: an id in flight is not taken twice") {
  scripted_peer peer{say_and_hang({})};
  client_fixture with;
  auto first = with.begin(get_from(peer.url()));
  std::promise<http_answer> second;
  with.client.send(with.last_id, get_from(peer.url()), [&](http_answer answer) {
    second.set_value(std::move(answer));
  });
  CHECK(client_fixture::wait(second.get_future()).failure
        == no_answer::refused);
  with.client.abort(with.last_id);
  CHECK(client_fixture::wait(std::move(first)).failure == no_answer::aborted);
}
