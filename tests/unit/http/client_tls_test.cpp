#include "tests/unit/http/client_certificates.hpp"
#include "tests/unit/http/client_fixture.hpp"

#include <openssl/ssl.h>

#include <fstream>

using namespace weir;
using namespace weir::test;
using namespace std::chrono_literals;

namespace {

http_request secure(const scripted_peer& peer, const std::string& host,
                    const std::string& ca_file) {
  auto request = put_to("https://" + host + ":" + std::to_string(peer.port()),
                        "{\"a\":1}");
  request.peer.ca_file = ca_file;
  return request;
}

} // namespace

TEST_CASE(
  "http client: TLS works for a name and addresses that are certified") {
  const test_authority authority{"DNS:localhost,IP:127.0.0.1,IP:::1"};
  const auto script = answer_all(answer_text(200, "{}"));
  scripted_peer peer{script, {.tls = authority.server()}};
  scripted_peer six{script, {.address = "::1", .tls = authority.server()}};
  client_fixture with{{}, [](const std::string&) {
                        return found_addresses{{"127.0.0.1"}, {}};
                      }};
  const auto file = authority.ca_file();
  for (int i = 0; i < 2; ++i) {
    CHECK(with.ask(secure(peer, "127.0.0.1", file)).body == "{}");
    CHECK(with.ask(secure(peer, "localhost", file)).body == "{}");
    CHECK(with.ask(secure(peer, "localhost.", file)).body == "{}");
    CHECK(with.ask(secure(six, "[::1]", file)).body == "{}");
  }
  CHECK(with.client.figures_now().connects == 4);
}

TEST_CASE("http client: the name is sent to the peer, an address is not") {
  const test_authority authority{"DNS:bridge.invalid,IP:127.0.0.1"};
  static std::string named;
  SSL_CTX_set_tlsext_servername_callback(
    authority.server(), +[](SSL* session, int*, void*) {
      const auto* const name
        = SSL_get_servername(session, TLSEXT_NAMETYPE_host_name);
      named = name ? name : "none";
      return SSL_TLSEXT_ERR_OK;
    });
  scripted_peer peer{answer_all(answer_text(200)), {.tls = authority.server()}};
  client_fixture with{{}, [](const std::string&) {
                        return found_addresses{{"127.0.0.1"}, {}};
                      }};
  const auto file = authority.ca_file();
  CHECK(with.ask(secure(peer, "bridge.invalid", file)).status == 200);
  CHECK(named == "bridge.invalid");
  CHECK(with.ask(secure(peer, "127.0.0.1", file)).status == 200);
  CHECK(named != "127.0.0.1");
}

TEST_CASE("http client: a certificate that is not trusted is refused") {
  const test_authority authority{"IP:127.0.0.1"};
  const test_authority other{"IP:127.0.0.1"};
  const test_authority expired{"IP:127.0.0.1", true};
  const test_authority elsewhere{"DNS:localhost,IP:127.0.0.2"};
  client_fixture with;
  const auto detail
    = [&](const test_authority& shown, const std::string& ca_file) {
        scripted_peer peer{
          [&](peer_connection& client, size_t) { client.read_request(); },
          {.tls = shown.server()}};
        const auto answer = with.ask(secure(peer, "127.0.0.1", ca_file));
        CHECK(answer.failure == no_answer::tls);
        CHECK(answer.status == 0);
        return answer.detail;
      };
  const std::string verdict = "certificate verify failed: ";
  CHECK(detail(authority, other.ca_file()).starts_with(verdict));
  CHECK(detail(authority, "")
        == verdict + "unable to get local issuer certificate (host 127.0.0.1)");
  CHECK(detail(expired, expired.ca_file())
        == verdict + "certificate has expired (host 127.0.0.1)");
  CHECK(detail(elsewhere, elsewhere.ca_file())
        == verdict + "IP address mismatch (host 127.0.0.1)");
  CHECK(with.client.figures_now().open == 0);
}

TEST_CASE("http client: another host's certificate is refused") {
  const test_authority authority{"DNS:bridge.invalid,DNS:*.wild.invalid"};
  scripted_peer peer{answer_all(answer_text(200)), {.tls = authority.server()}};
  client_fixture with{{}, [](const std::string&) {
                        return found_addresses{{"127.0.0.1"}, {}};
                      }};
  const auto file = authority.ca_file();
  CHECK(with.ask(secure(peer, "a.wild.invalid", file)).status == 200);
  for (const auto* host : {"evil.invalid", "a.b.wild.invalid", "127.0.0.1"}) {
    const auto answer = with.ask(secure(peer, host, file));
    CHECK(answer.failure == no_answer::tls);
    CHECK(answer.detail.find("mismatch (host ") != std::string::npos);
  }
}

TEST_CASE("http client: a ca_file that is none is named") {
  const test_authority authority{"IP:127.0.0.1"};
  scripted_peer peer{answer_all(answer_text(200)), {.tls = authority.server()}};
  client_fixture with;
  const auto missing = authority.ca_file() + "-none";
  const auto answer = with.ask(secure(peer, "127.0.0.1", missing));
  CHECK(answer.failure == no_answer::tls);
  CHECK(answer.detail
        == "ca_file " + missing + " cannot be read as PEM certificates");
  std::ofstream{missing} << "no PEM\n";
  CHECK(with.ask(secure(peer, "127.0.0.1", missing)).failure == no_answer::tls);
}

TEST_CASE("http client: TLS older than 1.2 is not spoken") {
  const test_authority authority{"IP:127.0.0.1"};
  SSL_CTX_set_security_level(authority.server(), 0);
  SSL_CTX_set_min_proto_version(authority.server(), TLS1_VERSION);
  SSL_CTX_set_max_proto_version(authority.server(), TLS1_1_VERSION);
  scripted_peer peer{answer_all(answer_text(200)), {.tls = authority.server()}};
  client_fixture with;
  const auto answer = with.ask(secure(peer, "127.0.0.1", authority.ca_file()));
  CHECK(answer.failure == no_answer::tls);
  CHECK(answer.detail.starts_with("TLS handshake with 127.0.0.1: "));
}

TEST_CASE("http client: a peer without TLS fails the handshake, or times out") {
  scripted_peer plain{[](peer_connection& client, size_t) {
    client.write("HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n");
    client.wait_closed();
  }};
  scripted_peer silent{
    [](peer_connection& client, size_t) { client.wait_closed(); }};
  client_fixture with;
  CHECK(with.ask(secure(plain, "127.0.0.1", {})).failure == no_answer::tls);
  auto request = secure(silent, "127.0.0.1", {});
  request.deadlines.connect = 30ms;
  const auto answer = with.ask(request);
  CHECK(answer.failure == no_answer::connect_timeout);
  CHECK(answer.detail
        == "TLS handshake with 127.0.0.1:" + std::to_string(silent.port())
          + ": not done within 30 ms");
  CHECK(with.client.figures_now().open == 0);
}

TEST_CASE("http client: a large body crosses TLS unchanged, both ways") {
  const test_authority authority{"IP:127.0.0.1"};
  std::string body(size_t{3} << 20, 'x');
  for (size_t i = 0; i < body.size(); i += 1000)
    body[i] = static_cast<char>('a' + i / 1000 % 26);
  scripted_peer peer{
    [](peer_connection& client, size_t) {
      const auto asked = client.read_request();
      client.write(answer_text(200, asked.substr(asked.find("\r\n\r\n") + 4)));
      client.wait_closed();
    },
    {.tls = authority.server()}};
  client_fixture with;
  auto request = secure(peer, "127.0.0.1", authority.ca_file());
  request.body = shared_bytes{body};
  request.answer_bytes_max = body.size();
  request.whole_body = true;
  const auto answer = with.ask(request);
  CHECK(answer.failure == no_answer::none);
  CHECK((answer.body == body));
}

TEST_CASE("http client: a TLS peer that closes while idle is noticed") {
  const test_authority authority{"IP:127.0.0.1"};
  scripted_peer peer{[](peer_connection& client, size_t) {
                       client.read_request();
                       client.write(answer_text(200));
                     },
                     {.tls = authority.server()}};
  client_fixture with;
  const auto request = secure(peer, "127.0.0.1", authority.ca_file());
  CHECK(with.ask(request).status == 200);
  CHECK(client_fixture::eventually(
    [&] { return with.client.figures_now().open == 0; }));
  CHECK(with.ask(request).status == 200);
}

TEST_CASE("http client: bytes behind an answer end a TLS connection") {
  const test_authority authority{"IP:127.0.0.1"};
  scripted_peer peer{[](peer_connection& client, size_t) {
                       client.read_request();
                       client.write(answer_text(200));
                       client.write(answer_text(500));
                       client.wait_closed();
                     },
                     {.tls = authority.server()}};
  client_fixture with;
  const auto request = secure(peer, "127.0.0.1", authority.ca_file());
  for (int i = 0; i < 2; ++i) {
    CHECK(with.ask(request).status == 200);
    CHECK(client_fixture::eventually(
      [&] { return with.client.figures_now().open == 0; }));
  }
}
