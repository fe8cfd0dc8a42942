#include "http/client/network.hpp"
#include "tests/unit/http/client_fixture.hpp"

using namespace weir;
using namespace weir::test;

TEST_CASE("http client: an answer that asks for a pause carries the moment at "
          "which it came") {
  scripted_peer peer{[](peer_connection& client, size_t) {
    client.read_request();
    client.write("HTTP/1.1 503 x\r\nContent-Length: 0\r\n"
                 "Retry-After: Sat, 01 Jun 2024 00:01:00 GMT\r\n\r\n");
  }};
  client_fixture with;
  client_network network{with.client,
                         [] { return stored_time{1'717'200'000'000}; }};
  std::promise<http_answer> told;
  http_request request;
  request.method = "GET";
  request.peer.url = peer.url();
  request.target = std::string{"/"};
  network.send(1, std::move(request),
               [&](http_answer answer) { told.set_value(std::move(answer)); });
  const auto answer = client_fixture::wait(told.get_future());
  CHECK(answer.status == 503);
  CHECK(find_field(answer.fields, "date") == "Sat, 01 Jun 2024 00:00:00 GMT");
}
