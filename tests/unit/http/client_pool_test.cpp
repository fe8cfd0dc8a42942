#include "tests/unit/http/client_fixture.hpp"

#include <atomic>

using namespace weir;
using namespace weir::test;
using namespace std::chrono_literals;

namespace {

const std::string fine = answer_text(200, "{}");

/// Answers one request of each connection, then does `after`.
peer_script answer_once(std::function<void(peer_connection&)> after) {
  return [after = std::move(after)](peer_connection& client, size_t) {
    client.read_request();
    client.write(fine);
    after(client);
  };
}

} // namespace

TEST_CASE("http client: requests in turn share one connection") {
  scripted_peer peer{answer_all(fine)};
  client_fixture with;
  for (int i = 0; i < 20; ++i)
    CHECK(with.ask(put_to(peer.url(), "{}")).status == 200);
  CHECK(peer.accepted() == 1);
  const auto now = with.client.figures_now();
  CHECK(now.connects == 1);
  CHECK(now.requests == 20);
  CHECK(now.open == 1);
  CHECK(now.idle == 1);
}

TEST_CASE("http client: connections are shared by peer and trust alone") {
  scripted_peer peer{answer_all(fine)};
  client_fixture with;
  auto request = get_from(peer.url());
  with.ask(request);
  request.peer.ca_file = "other.pem";
  with.ask(request);
  CHECK(peer.accepted() == 2);
}

TEST_CASE("http client: a kept connection that dies unanswered is replaced") {
  scripted_peer peer{[](peer_connection& client, size_t number) {
    client.read_request();
    client.write(fine);
    client.read_request();
    if (number > 0)
      client.write(fine);
  }};
  client_fixture with;
  CHECK(with.ask(put_to(peer.url(), "{}")).status == 200);
  const auto answer = with.ask(put_to(peer.url(), "{}"));
  CHECK(answer.failure == no_answer::none);
  CHECK(answer.status == 200);
  CHECK(peer.accepted() == 2);
  CHECK(with.client.figures_now().connects == 2);
}

TEST_CASE("http client: the replacement of a dead connection is the last try") {
  scripted_peer peer{[](peer_connection& client, size_t number) {
    client.read_request();
    if (number > 0)
      return;
    client.write(fine);
    client.read_request();
    client.reset();
  }};
  client_fixture with;
  CHECK(with.ask(put_to(peer.url(), "{}")).status == 200);
  CHECK(with.ask(put_to(peer.url(), "{}")).failure == no_answer::reset);
  CHECK(peer.accepted() == 2);
  CHECK(with.client.figures_now().open == 0);
}

TEST_CASE("http client: a POST is never sent twice") {
  // As a bridge that takes a request and dies before it answers.
  std::atomic<size_t> posts = 0;
  scripted_peer peer{[&](peer_connection& client, size_t number) {
    client.read_request();
    if (number == 0)
      client.write(fine);
    const auto second = number == 0 ? client.read_request() : std::string{};
    posts += second.starts_with("POST") || number > 0;
    client.reset();
  }};
  client_fixture with;
  CHECK(with.ask(put_to(peer.url(), "{}")).status == 200);
  auto request = put_to(peer.url(), "{}");
  request.method = "POST";
  CHECK(with.ask(request).failure == no_answer::reset);
  CHECK(posts == 1);
  CHECK(peer.accepted() == 2);
}

TEST_CASE("http client: the connection of a POST serves others afterwards") {
  scripted_peer peer{answer_all(fine)};
  client_fixture with;
  auto request = put_to(peer.url(), "{}");
  request.method = "POST";
  CHECK(with.ask(request).status == 200);
  CHECK(with.ask(put_to(peer.url(), "{}")).status == 200);
  CHECK(peer.accepted() == 1);
  CHECK(with.ask(request).status == 200);
  CHECK(peer.accepted() == 2);
}

TEST_CASE(
  "http client: an answer begun on a kept connection is not asked anew") {
  scripted_peer peer{[](peer_connection& client, size_t) {
    client.read_request();
    client.write(fine);
    client.read_request();
    client.write("HTTP/1.1 ");
  }};
  client_fixture with;
  CHECK(with.ask(put_to(peer.url(), "{}")).status == 200);
  CHECK(with.ask(put_to(peer.url(), "{}")).failure == no_answer::reset);
  CHECK(peer.accepted() == 1);
}

TEST_CASE("http client: a time-out on a kept connection is not asked anew") {
  scripted_peer peer{[](peer_connection& client, size_t) {
    client.read_request();
    client.write(fine);
    client.wait_closed();
  }};
  client_fixture with;
  auto request = put_to(peer.url(), "{}");
  CHECK(with.ask(request).status == 200);
  request.deadlines.answer = 30ms;
  CHECK(with.ask(request).failure == no_answer::answer_timeout);
  CHECK(peer.accepted() == 1);
}

TEST_CASE("http client: a peer that closes while idle is noticed") {
  scripted_peer peer{answer_once([](peer_connection&) {})};
  client_fixture with;
  CHECK(with.ask(get_from(peer.url())).status == 200);
  CHECK(client_fixture::eventually(
    [&] { return with.client.figures_now().open == 0; }));
  CHECK(with.ask(get_from(peer.url())).status == 200);
  CHECK(with.client.figures_now().connects == 2);
}

TEST_CASE("http client: what an idle peer says is nobody's answer") {
  std::promise<void> answered;
  scripted_peer peer{[&](peer_connection& client, size_t number) {
    client.read_request();
    client.write(fine);
    if (number > 0)
      return;
    answered.get_future().wait();
    client.write(answer_text(408));
    client.wait_closed();
  }};
  client_fixture with;
  CHECK(with.ask(get_from(peer.url())).status == 200);
  answered.set_value();
  CHECK(client_fixture::eventually(
    [&] { return with.client.figures_now().open == 0; }));
  CHECK(with.ask(get_from(peer.url())).status == 200);
}

TEST_CASE("http client: bytes behind an answer end its connection") {
  scripted_peer peer{[](peer_connection& client, size_t) {
    client.read_request();
    client.write(fine + answer_text(500));
    client.wait_closed();
  }};
  client_fixture with;
  CHECK(with.ask(get_from(peer.url())).status == 200);
  CHECK(with.client.figures_now().open == 0);
  CHECK(with.ask(get_from(peer.url())).status == 200);
}

TEST_CASE("http client: a peer that says close gets a new connection") {
  scripted_peer peer{answer_all(answer_text(200, {}, "Connection: close\r\n"))};
  client_fixture with;
  CHECK(with.ask(get_from(peer.url())).status == 200);
  CHECK(with.client.figures_now().open == 0);
  CHECK(with.ask(get_from(peer.url())).status == 200);
  CHECK(with.client.figures_now().connects == 2);
}

TEST_CASE("http client: a connection kept too long is closed") {
  scripted_peer peer{answer_all(fine)};
  client_fixture with{{.idle_time = 0s}};
  CHECK(with.ask(get_from(peer.url())).status == 200);
  CHECK(client_fixture::eventually(
    [&] { return with.client.figures_now().open == 0; }));
}

TEST_CASE("http client: no peer keeps more than its share of connections") {
  std::promise<void> all_here;
  const auto all = all_here.get_future().share();
  std::atomic<int> here = 0;
  scripted_peer peer{[&](peer_connection& client, size_t) {
    client.read_request();
    if (++here == 5)
      all_here.set_value();
    all.wait();
    client.write(fine);
    client.wait_closed();
  }};
  client_fixture with{{.idle_per_peer_max = 2}};
  std::vector<std::future<http_answer>> answers;
  for (int i = 0; i < 5; ++i)
    answers.push_back(with.begin(get_from(peer.url())));
  for (auto& answer : answers)
    CHECK(client_fixture::wait(std::move(answer)).status == 200);
  CHECK(with.client.figures_now().idle == 2);
  CHECK(with.client.figures_now().open == 2);
}

TEST_CASE("http client: connections are bounded, and idle ones give way") {
  scripted_peer hanging{[](peer_connection& client, size_t) {
    client.read_request();
    client.wait_closed();
  }};
  scripted_peer well{answer_all(fine)};
  client_fixture with{{.open_max = 2}};
  CHECK(with.ask(get_from(well.url())).status == 200);
  auto first = with.begin(get_from(hanging.url()));
  CHECK(with.client.figures_now().idle == 1);
  auto second = with.begin(get_from(hanging.url()));
  CHECK(with.client.figures_now().idle == 0);
  CHECK(client_fixture::eventually(
    [&] { return with.client.figures_now().open == 2; }));
  const auto third = with.ask(get_from(well.url()));
  CHECK(third.failure == no_answer::refused);
  CHECK(third.detail == "too many connections: 2 are open");
  with.client.use_open_max(3);
  CHECK(with.ask(get_from(well.url())).status == 200);
}

TEST_CASE("http client: a continuation may send the next request") {
  scripted_peer peer{answer_all(fine)};
  client_fixture with;
  std::promise<http_answer> last;
  std::function<void(http_client::request_id)> next
    = [&](http_client::request_id id) {
        with.client.send(id, get_from(peer.url()), [&, id](http_answer answer) {
          if (id == 1050)
            last.set_value(std::move(answer));
          else
            next(id + 1);
        });
      };
  next(1000);
  CHECK(client_fixture::wait(last.get_future()).status == 200);
  CHECK(peer.accepted() == 1);
}
