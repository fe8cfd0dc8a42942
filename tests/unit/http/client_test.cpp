#include "tests/unit/http/client_fixture.hpp"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

using namespace weir;
using namespace weir::test;
using namespace std::chrono_literals;

namespace {

/// A scripted peer that answers once and remembers what it was asked.
struct recording_peer {
  explicit recording_peer(std::string answer, peer_options options = {})
    : peer{[this, answer = std::move(answer)](peer_connection& client, size_t) {
             request.set_value(client.read_request());
             client.write(answer);
             client.wait_closed();
           },
           std::move(options)} {
  }

  std::promise<std::string> request;
  scripted_peer peer;
};

std::string socket_path(const char* name) {
  const auto path = std::filesystem::temp_directory_path()
    / (std::string{name} + std::to_string(::getpid()));
  std::filesystem::remove(path);
  return path.string();
}

} // namespace

TEST_CASE("http client: a request goes out and its answer comes back") {
  recording_peer recorder{answer_text(207, "[]", "X-Seen: yes\r\n")};
  client_fixture with;
  const auto answer
    = with.ask(put_to(recorder.peer.url() + "/base/", "{\"a\":1}", "/x%2F?y"));
  CHECK(answer.failure == no_answer::none);
  CHECK(answer.detail.empty());
  CHECK(answer.status == 207);
  CHECK(find_field(answer.fields, "x-seen") == "yes");
  CHECK(answer.body == "[]");
  CHECK(recorder.request.get_future().get()
        == "PUT /base/x%2F?y HTTP/1.1\r\nHost: 127.0.0.1:"
          + std::to_string(recorder.peer.port())
          + "\r\nConnection: keep-alive\r\nContent-Length: 7\r\n\r\n"
            "{\"a\":1}");
}

TEST_CASE("http client: an empty 200 and a page of HTML are answers") {
  scripted_peer empty{
    answer_all("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")};
  scripted_peer page{answer_all(
    answer_text(502, "<html>Bad</html>", "Content-Type: text/html\r\n"))};
  client_fixture with;
  CHECK(with.ask(get_from(empty.url())).status == 200);
  const auto answer = with.ask(get_from(page.url()));
  CHECK(answer.failure == no_answer::none);
  CHECK(answer.status == 502);
  CHECK(answer.body == "<html>Bad</html>");
}

TEST_CASE("http client: a redirect is an answer and not followed") {
  scripted_peer elsewhere{answer_all(answer_text(200))};
  scripted_peer peer{answer_all(
    answer_text(308, {}, "Location: " + elsewhere.url() + "/x\r\n"))};
  client_fixture with;
  CHECK(with.ask(put_to(peer.url(), "{}")).status == 308);
  CHECK(elsewhere.accepted() == 0);
}

TEST_CASE("http client: proxy variables of the environment are ignored") {
  scripted_peer proxy{answer_all(answer_text(502))};
  scripted_peer peer{answer_all(answer_text(200))};
  const char* const names[]
    = {"http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"};
  for (const auto* name : names)
    ::setenv(name, proxy.url().c_str(), 1);
  {
    client_fixture with;
    CHECK(with.ask(get_from(peer.url())).status == 200);
  }
  for (const auto* name : names)
    ::unsetenv(name);
  CHECK(proxy.accepted() == 0);
}

TEST_CASE("http client: chunked and until-close bodies are read whole") {
  scripted_peer chunked{answer_all("HTTP/1.1 200 OK\r\n"
                                   "Transfer-Encoding: chunked\r\n\r\n"
                                   "2\r\nab\r\n1\r\nc\r\n0\r\n\r\n")};
  scripted_peer closing{[](peer_connection& client, size_t) {
    client.read_request();
    client.write("HTTP/1.1 200 OK\r\n\r\nabc");
  }};
  client_fixture with;
  for (const auto& url : {chunked.url(), closing.url()}) {
    auto request = get_from(url);
    request.whole_body = true;
    const auto answer = with.ask(request);
    CHECK(answer.failure == no_answer::none);
    CHECK(answer.body == "abc");
  }
}

TEST_CASE("http client: both spellings of a unix socket reach it") {
  const auto path = socket_path("weir-client-");
  recording_peer first{answer_text(200), {.address = path}};
  client_fixture with;
  CHECK(with.ask(get_from("unix:" + path)).status == 200);
  CHECK(first.request.get_future().get().find("\r\nHost: localhost\r\n")
        != std::string::npos);
  std::filesystem::remove(path);
  recording_peer second{answer_text(200), {.address = path}};
  CHECK(with.ask(get_from("unix://" + path)).status == 200);
  std::filesystem::remove(path);
  const auto gone = with.ask(get_from("unix:" + path + "-none"));
  CHECK(gone.failure == no_answer::refused);
  CHECK(gone.detail == "connect " + path + "-none: No such file or directory");
}

TEST_CASE("http client: an IPv6 literal is reached and named in brackets") {
  recording_peer recorder{answer_text(200), {.address = "::1"}};
  client_fixture with;
  const auto place = "[::1]:" + std::to_string(recorder.peer.port());
  CHECK(with.ask(get_from("http://" + place)).status == 200);
  CHECK(recorder.request.get_future().get().find("\r\nHost: " + place + "\r\n")
        != std::string::npos);
}

TEST_CASE("http client: a name is looked up by the system") {
  scripted_peer peer{answer_all(answer_text(200))};
  client_fixture with;
  const auto url = "http://localhost:" + std::to_string(peer.port());
  CHECK(with.ask(get_from(url)).status == 200);
}

TEST_CASE("http client: a name without address says so") {
  client_fixture with{{}, [](const std::string&) {
                        return found_addresses{{}, "no such name"};
                      }};
  const auto answer = with.ask(get_from("http://nowhere.invalid"));
  CHECK(answer.failure == no_answer::name);
  CHECK(answer.detail == "name lookup of nowhere.invalid: no such name");
}

TEST_CASE("http client: a look-up that hangs holds up neither peer nor stop") {
  std::promise<void> release;
  const auto released = release.get_future().share();
  client_fixture with{{}, [released](const std::string& host) {
                        if (host == "stuck.invalid")
                          released.wait();
                        return found_addresses{{"127.0.0.1"}, {}};
                      }};
  scripted_peer peer{answer_all(answer_text(200))};
  const auto port = std::to_string(peer.port());
  auto stuck = with.begin(get_from("http://stuck.invalid:" + port));
  auto timed = get_from("http://stuck.invalid:" + port);
  timed.deadlines.connect = 20ms;
  const auto late = with.ask(timed);
  CHECK(late.failure == no_answer::connect_timeout);
  CHECK(late.detail == "name lookup of stuck.invalid: not done within 20 ms");
  CHECK(with.ask(get_from("http://other.invalid:" + port)).status == 200);
  with.client.stop();
  CHECK(client_fixture::wait(std::move(stuck)).failure == no_answer::aborted);
  release.set_value();
}

TEST_CASE("http client: a dead first address does not cost the deadline") {
  scripted_peer alive{answer_all(answer_text(200))};
  scripted_peer dead{{},
                     {.address = "::1", .port = alive.port(), .deaf = true}};
  client_fixture with{{}, [](const std::string&) {
                        return found_addresses{{"::1", "127.0.0.1"}, {}};
                      }};
  auto request
    = get_from("http://both.invalid:" + std::to_string(alive.port()));
  request.deadlines.connect = 20s;
  const auto answer = with.ask(request);
  CHECK(answer.status == 200);
  CHECK(answer.took >= 250ms);
  CHECK(answer.took < request.deadlines.connect / 2);
  CHECK(with.client.figures_now().open == 1);
}

TEST_CASE("http client: a refused first address costs nothing") {
  scripted_peer alive{answer_all(answer_text(200))};
  client_fixture with{{}, [](const std::string&) {
                        return found_addresses{{"127.0.0.9", "127.0.0.1"}, {}};
                      }};
  const auto port = std::to_string(alive.port());
  CHECK(with.ask(get_from("http://both.invalid:" + port)).status == 200);
  const auto nobody = with.ask(get_from("http://both.invalid:1"));
  CHECK(nobody.failure == no_answer::refused);
  CHECK(nobody.detail
        == "connect 127.0.0.9:1: Connection refused, "
           "connect 127.0.0.1:1: Connection refused");
}

TEST_CASE("http client: what cannot be sent is refused before connecting") {
  scripted_peer peer{answer_all(answer_text(200))};
  client_fixture with;
  auto split = get_from(peer.url(), "/a\r\nEvil: 1");
  auto field = get_from(peer.url());
  field.fields = {{"Authorization", "secret\r\nEvil: 1"}};
  const auto nowhere = get_from("ftp://example.org");
  for (const auto& request : {split, field, nowhere}) {
    const auto answer = with.ask(request);
    CHECK(answer.failure == no_answer::malformed);
    CHECK(answer.detail.find("secret") == std::string::npos);
  }
  CHECK(peer.accepted() == 0);
}

TEST_CASE(
  "http client: a body beyond the bound is cut, or refused when whole") {
  scripted_peer peer{answer_all(answer_text(200, std::string(100'000, 'x')))};
  client_fixture with;
  auto request = get_from(peer.url());
  request.answer_bytes_max = 1000;
  const auto cut = with.ask(request);
  CHECK(cut.failure == no_answer::none);
  CHECK(cut.body.size() == 1000);
  CHECK(with.client.figures_now().idle == 1);
  request.whole_body = true;
  CHECK(with.ask(request).failure == no_answer::too_large);
  CHECK(with.client.figures_now().open == 0);
}

TEST_CASE("http client: HEAD has no body to wait for") {
  scripted_peer peer{
    answer_all("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")};
  client_fixture with;
  auto request = get_from(peer.url());
  request.method = "HEAD";
  request.whole_body = true;
  CHECK(with.ask(request).failure == no_answer::none);
  CHECK(with.client.figures_now().idle == 1);
}

TEST_CASE("http client: two hundred requests at once each get their answer") {
  scripted_peer peer{[](peer_connection& client, size_t) {
    for (;;) {
      const auto request = client.read_request();
      if (request.empty())
        return;
      const auto from = request.find('/') + 1;
      client.write(
        answer_text(200, request.substr(from, request.find(' ', from) - from)));
    }
  }};
  client_fixture with;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::future<http_answer>> answers;
    for (int i = 0; i < 200; ++i)
      answers.push_back(
        with.begin(get_from(peer.url(), "/" + std::to_string(i))));
    for (size_t i = 0; i < answers.size(); ++i)
      CHECK(client_fixture::wait(std::move(answers[i])).body
            == std::to_string(i));
  }
  const auto now = with.client.figures_now();
  CHECK(now.requests == 600);
  CHECK(now.in_flight == 0);
  CHECK(now.idle <= 16);
}
