#include "http/client/answer_reader.hpp"

#include "schema/error.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace weir {

namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

/// As much as our own server takes; every field of it is kept in memory.
constexpr size_t head_bytes_max = size_t{64} << 10;
/// How much of an unwanted body is read to keep the connection: a new one
/// costs a round trip or two, which is about this much at 100 Mbit/s.
constexpr size_t dropped_bytes_max = size_t{256} << 10;
/// Interim answers of one request.
constexpr size_t interim_answers_max = 16;

/// Keeps the first bytes of a body and drops the rest, up to a bound.
struct bounded_body {
  struct value_type {
    std::string bytes;
    size_t bytes_max = 0;
    size_t drop_left = dropped_bytes_max;
    bool whole = false;
  };

  class reader {
  public:
    template <bool IsRequest, class Fields>
    reader(http::header<IsRequest, Fields>&, value_type& body) : body_{body} {
    }

    void init(const boost::optional<uint64_t>& length, error_code& error) {
      error = {};
      if (!length || *length <= body_.bytes_max)
        return;
      if (body_.whole)
        error = http::error::body_limit;
      else if (*length - body_.bytes_max > body_.drop_left)
        body_.drop_left = 0;
    }

    template <class Buffers>
    size_t put(const Buffers& buffers, error_code& error) {
      error = {};
      size_t taken = 0;
      for (const auto buffer : boost::beast::buffers_range_ref(buffers)) {
        take({static_cast<const char*>(buffer.data()), buffer.size()}, error);
        if (error)
          return taken;
        taken += buffer.size();
      }
      return taken;
    }

    void finish(error_code& error) {
      error = {};
    }

  private:
    void take(std::string_view bytes, error_code& error) {
      const auto kept
        = std::min(bytes.size(), body_.bytes_max - body_.bytes.size());
      body_.bytes.append(bytes.substr(0, kept));
      const auto surplus = bytes.size() - kept;
      if (surplus > 0 && body_.whole)
        error = http::error::body_limit;
      else if (surplus > body_.drop_left)
        error = http::error::buffer_overflow; // The head has decided already.
      else
        body_.drop_left -= surplus;
    }

    value_type& body_;
  };
};

using parser_type = http::response_parser<bounded_body>;

} // namespace

struct answer_reader::parts {
  bounds limits;
  std::optional<parser_type> parser;
  std::string unparsed; ///< Bytes of a line that is not whole yet.
  size_t head_bytes = 0;
  size_t interim_answers = 0;
  bool touched = false;
  bool finished = false;
  bool reusable = false;
  no_answer why = no_answer::none;
  std::string detail;

  void begin() {
    parser.emplace();
    parser->eager(true);
    // The body's own reader bounds it, and the head is counted in `parse`:
    // Beast counts it anew in each call.
    parser->body_limit(boost::none);
    parser->header_limit(head_bytes_max);
    parser->skip(!limits.body_expected);
    auto& body = parser->get().body();
    body.bytes_max = limits.body_bytes_max;
    body.whole = limits.whole_body;
    head_bytes = 0;
  }

  void finish(no_answer reason, std::string text) {
    finished = true;
    const bool head_decides = parser->is_header_done() && !limits.whole_body
      && reason != no_answer::aborted && reason != no_answer::none;
    if (head_decides)
      return;
    why = reason;
    detail = std::move(text);
  }

  /// A whole message is there. Interim ones are dropped.
  void message_done() {
    const auto status = static_cast<int>(parser->get().result_int());
    if (status >= 200) {
      reusable = parser->keep_alive() && unparsed.empty();
      return finish(no_answer::none, {});
    }
    if (++interim_answers > interim_answers_max)
      return refuse("too many interim answers");
    begin();
  }

  /// What came is no answer at all, whatever its head says.
  void refuse(std::string text) {
    begin();
    finish(no_answer::malformed, std::move(text));
  }

  void failed(const error_code& error) {
    const auto over = [](const char* what, size_t bound) {
      return std::string{what} + " is over " + std::to_string(bound) + " bytes";
    };
    if (error == http::error::body_limit)
      return finish(no_answer::too_large,
                    over("answer's body", limits.body_bytes_max));
    if (error == http::error::header_limit)
      return finish(no_answer::malformed,
                    over("answer's head", head_bytes_max));
    finish(no_answer::malformed, "answer is not HTTP: " + error.message());
  }

  /// Parses what it can; false when more bytes are needed first.
  bool parse() {
    error_code error;
    const bool in_head = !parser->is_header_done();
    const auto used = parser->put(boost::asio::buffer(unparsed), error);
    unparsed.erase(0, used);
    if (in_head)
      head_bytes += used;
    const bool broken = error && error != http::error::need_more;
    if (parser->is_header_done())
      judge_head();
    else if (!broken)
      judge_head_bytes();
    if (broken && !finished)
      failed(error);
    if (!finished && parser->is_done()) {
      message_done();
      return !finished && !unparsed.empty();
    }
    return !finished && used > 0 && !unparsed.empty();
  }

  void judge_head_bytes() {
    if (head_bytes + unparsed.size() > head_bytes_max)
      failed(http::error::header_limit);
  }

  /// What a whole head says already, before its body.
  void judge_head() {
    const auto status = parser->get().result_int();
    // A switch of protocols was never asked for, so what follows is not HTTP.
    if (status < 100 || status == 101)
      refuse("answer's status is " + std::to_string(status));
    else if (limits.whole_body && !parser->is_done()
             && parser->content_length().value_or(0) > limits.body_bytes_max)
      failed(http::error::body_limit);
  }
};

answer_reader::answer_reader(bounds limits)
  : parts_{std::make_unique<parts>()} {
  parts_->limits = limits;
  parts_->begin();
}

answer_reader::~answer_reader() = default;
answer_reader::answer_reader(answer_reader&&) noexcept = default;
answer_reader& answer_reader::operator=(answer_reader&&) noexcept = default;

void answer_reader::feed(std::string_view bytes) {
  WEIR_ASSERT(!parts_->finished);
  if (bytes.empty())
    return;
  parts_->touched = true;
  parts_->unparsed.append(bytes);
  while (parts_->parse()) {
  }
}

void answer_reader::end_of_stream() {
  auto& parser = *parts_->parser;
  if (parser.is_header_done() && parser.need_eof()) {
    error_code error;
    parser.put_eof(error);
    return parts_->finish(no_answer::none, {});
  }
  cut(no_answer::reset,
      parser.is_header_done() ? "the peer closed before the body was whole"
        : parts_->touched     ? "the peer closed before the head was whole"
                              : "the peer closed before it answered");
}

void answer_reader::cut(no_answer why, std::string detail) {
  if (!parts_->finished)
    parts_->finish(why, std::move(detail));
}

bool answer_reader::finished() const noexcept {
  return parts_->finished;
}

bool answer_reader::head_whole() const noexcept {
  return parts_->parser->is_header_done();
}

bool answer_reader::untouched() const noexcept {
  return !parts_->touched;
}

bool answer_reader::reusable() const noexcept {
  return parts_->reusable;
}

http_answer answer_reader::take() {
  http_answer answer;
  answer.failure = parts_->why;
  answer.detail = std::move(parts_->detail);
  auto& parser = *parts_->parser;
  if (!parser.is_header_done())
    return answer;
  auto& message = parser.get();
  answer.status = static_cast<int>(message.result_int());
  for (const auto& field : message)
    answer.fields.push_back(
      {std::string{field.name_string()}, std::string{field.value()}});
  answer.body = std::move(message.body().bytes);
  return answer;
}

} // namespace weir
