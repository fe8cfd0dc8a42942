#include "http/routes/trace.hpp"

#include "http/matrix_reply.hpp"
#include "http/query.hpp"
#include "http/routes/listing.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace weir {

namespace {

constexpr std::string_view root = "/trace";
/// More names than this are an operator's slip.
constexpr size_t actors_max = 1'000;

std::string status_text(const trace::control_status& status) {
  const auto& recorder = status.recorder;
  return dumped({{"on", recorder.on},
                 {"file", status.path},
                 {"actors", recorder.options.actors},
                 {"with_content", recorder.options.with_content},
                 {"records", recorder.records},
                 {"dropped", status.file.dropped},
                 {"file_bytes", status.file.bytes},
                 {"failure", status.file.failure}});
}

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  for (size_t from = 0; from <= list.size();) {
    const auto end = std::min(list.find(',', from), list.size());
    if (end > from)
      names.push_back(list.substr(from, end - from));
    from = end + 1;
  }
  return names;
}

/// `actors` and `with_content`, over what is configured.
expected<trace::recorder_options> options_in(std::string_view query,
                                             trace::recorder_options options) {
  for (const auto& [name, value] : read_query(query)) {
    const bool all = value == "all";
    if (name == "actors" && (all || !names_in(value).empty()))
      options.actors = all ? std::vector<std::string>{} : names_in(value);
    else if (name == "with_content" && (value == "true" || value == "false"))
      options.with_content = value == "true";
    else
      return fail(ec::invalid_argument,
                  "A trace is started with actors=NAME,NAME or actors=all, and "
                  "with_content=true or false");
  }
  if (options.actors.size() > actors_max)
    return fail(ec::invalid_argument, "Too many actors are named");
  return options;
}

} // namespace

bool is_trace_path(std::string_view what) noexcept {
  return what == root || what == "/trace/start" || what == "/trace/stop";
}

http_response trace_reply(trace::control& of,
                          const trace::recorder_options& defaults,
                          std::string_view method, std::string_view what,
                          std::string_view query) {
  const bool reads = what == root;
  if (reads != (method == "GET" || method == "HEAD"))
    return wrong_method(reads ? "GET, HEAD" : "POST");
  if (!reads && method != "POST")
    return wrong_method("POST");
  expected<void> done = ok();
  if (what == "/trace/stop")
    done = of.stop();
  if (what == "/trace/start") {
    auto options = options_in(query, defaults);
    if (!options)
      return error_reply(options.error());
    done = of.start(std::move(options.value()));
  }
  if (!done)
    return matrix_error(503, "ORG.WEIR.TRACE_FAILED", done.error().context);
  return json_ok(status_text(of.status()));
}

} // namespace weir
