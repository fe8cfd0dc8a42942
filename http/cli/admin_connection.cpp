#include "http/cli/admin_connection.hpp"

#include "http/client/client.hpp"

#include "schema/time.hpp"

#include <boost/asio/io_context.hpp>

namespace weir {

namespace {

/// A person waits at the other end; a command may wait 20 s for a send and as
/// long for the store.
constexpr http_deadlines deadlines{milliseconds{5'000}, milliseconds{60'000},
                                   milliseconds{15'000}};
constexpr size_t answer_bytes_max = size_t{64} << 20;

http_answer call_and_wait(http_request request) {
  boost::asio::io_context io;
  http_client client{io};
  http_answer result;
  client.send(1, std::move(request), [&](http_answer answer) {
    result = std::move(answer);
    client.stop();
  });
  io.run();
  return result;
}

} // namespace

admin_call connect_admin(const config& settings, const std::string& token) {
  http_peer peer{"http://" + settings.admin.listen, {}};
  if (const auto& tls = settings.admin.tls; !tls.certificate_file.empty())
    peer = {"https://" + settings.admin.listen, tls.certificate_file};
  return [peer, token](std::string_view method,
                       std::string_view path) -> expected<admin_answer> {
    http_request request;
    request.method = method;
    request.peer = peer;
    request.target = std::string{path};
    request.fields = {{"Authorization", "Bearer " + token}};
    request.deadlines = deadlines;
    request.answer_bytes_max = answer_bytes_max;
    request.whole_body = true;
    auto answer = call_and_wait(std::move(request));
    if (answer.failure != no_answer::none)
      return fail(ec::unavailable, answer.detail);
    return admin_answer{answer.status, std::move(answer.body)};
  };
}

} // namespace weir
