#pragma once

#include "actors/trace/control.hpp"
#include "http/exchange.hpp"

#include <string>
#include <string_view>

/// The trace of this process, over the admin API: `GET /trace`, `POST
/// /trace/start?actors=a,b&with_content=true`, `POST /trace/stop`. The file is
/// the configured one: who holds the token may not choose where to write.
namespace weir {

/// Whether `what`, the path behind the API's prefix, is one of those.
bool is_trace_path(std::string_view what) noexcept;

/// What is answered; `defaults` are those of the configuration.
http_response trace_reply(trace::control& of,
                          const trace::recorder_options& defaults,
                          std::string_view method, std::string_view what,
                          std::string_view query);

} // namespace weir
