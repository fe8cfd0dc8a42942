#include "actors/trace/registry.hpp"
#include "actors/trace/registry_types.hpp"
#include "schema/config_values.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>

using namespace weir;
using trace::json;

namespace {

template <class T>
using is_told
  = std::disjunction<boost::describe::has_describe_members<T>,
                     boost::describe::has_describe_enumerators<T>,
                     std::is_integral<T>, std::is_base_of<std::string, T>>;

/// Values by chance of any described type.
class generator {
public:
  explicit generator(uint64_t seed) : random_{seed} {
  }

  template <class T>
  T make() {
    T value{};
    fill(value);
    return value;
  }

private:
  void fill(bool& value) {
    value = random_() % 2 == 0;
  }
  template <class T>
  requires(std::is_integral_v<T>) void fill(T& value) {
    value = static_cast<T>(random_() % 4 == 0 ? random_() : random_() % 100);
  }
  void fill(double& value) {
    value = std::uniform_real_distribution<double>{0, 10}(random_);
  }
  template <class T>
  requires(std::is_base_of_v<std::string, T>) void fill(T& value) {
    static const std::string alphabets[]
      = {"", "a", "text with \"quotes\" \n and ümläuts", "\x80\xff", "/p?q=1"};
    value = alphabets[random_() % 5];
  }
  void fill(shared_bytes& value) {
    value = random_() % 3 == 0 ? shared_bytes{} : shared_bytes{"{\"a\":1}"};
  }
  void fill(instant& value) {
    value = random_() % 3 == 0 ? instant{} : instant{seconds_of(random_())};
  }
  template <class Rep, class Period>
  void fill(std::chrono::duration<Rep, Period>& value) {
    value = std::chrono::duration<Rep, Period>{
      static_cast<Rep>(random_() % 100'000)};
  }
  template <class T>
  void fill(std::optional<T>& value) {
    if (random_() % 2 == 0)
      fill(value.emplace());
  }
  template <class T>
  void fill(std::vector<T>& value) {
    for (size_t n = random_() % 4; n > 0; --n)
      fill(value.emplace_back());
  }
  template <class T>
  void fill(shared<T>& value) {
    value = shared<T>{make<T>()};
  }
  template <trace::described_enum T>
  void fill(T& value) {
    using all = boost::describe::describe_enumerators<T>;
    const auto chosen = random_() % boost::mp11::mp_size<all>::value;
    size_t i = 0;
    boost::mp11::mp_for_each<all>([&](auto each) {
      if (i++ == chosen)
        value = each.value;
    });
  }
  template <trace::described_struct T>
  void fill(T& value) {
    boost::mp11::mp_for_each<trace::members_of<T>>(
      [&](auto member) { fill(value.*member.pointer); });
  }
  /// Handles, callbacks and the like stay empty.
  template <class T>
  requires(!is_told<T>::value) void fill(T&) {
  }

  static std::chrono::nanoseconds seconds_of(uint64_t random) {
    return std::chrono::nanoseconds{1 + random % 1'000'000'000'000};
  }

  std::mt19937_64 random_;
};

/// Whether a described type, or what it holds, is described as holding nothing
/// while it does hold something.
template <class T>
bool hides_members() {
  return boost::mp11::mp_size<trace::members_of<T>>::value == 0
    && !std::is_empty_v<T>;
}

template <class Visitor>
void each_message(Visitor visit) {
  boost::mp11::mp_for_each<
    boost::mp11::mp_transform<boost::mp11::mp_identity, trace::every_message>>(
    [&](auto type) {
      using message = typename decltype(type)::type;
      visit.template operator()<message>();
    });
}

} // namespace

TEST_CASE("codec: every message of every interface comes back as it went") {
  std::set<std::string> seen;
  each_message([&]<class T>() {
    const auto* codec = trace::codec_of(typeid(T));
    REQUIRE(codec != nullptr);
    CHECK(trace::codec_named(codec->name) == codec);
    CHECK_FALSE(hides_members<T>());
    seen.insert(codec->name);
    CAPTURE(codec->name);
    for (const bool with_content : {true, false})
      for (uint64_t seed = 0; seed < 20; ++seed) {
        auto value = generator{seed}.make<T>();
        const trace::writing how{with_content};
        const auto written = codec->write(&value, how);
        // As text, as in a file.
        const auto text = written.dump();
        trace::reading reading;
        T again{};
        codec->read(json::parse(text), &again, reading);
        CHECK(reading.problem == "");
        CHECK(codec->write(&again, how).dump() == text);
      }
  });
  CHECK(seen.size() >= 40);
  CHECK(seen.contains("accept_transaction"));
  CHECK(seen.contains("use_peers"));
}

TEST_CASE("codec: what is written with its content is the same value again") {
  const auto value = generator{5}.make<queue_loaded>();
  owed_transaction owed;
  owed.id = {"abc-1"};
  owed.body = shared_bytes{"{\"events\":[]}"};
  const auto* codec = trace::codec_of(typeid(wake));
  const wake before{owed};
  wake after;
  trace::reading reading;
  codec->read(codec->write(&before, {true}), &after, reading);
  REQUIRE(after.pinned);
  CHECK(after.pinned->id == owed.id);
  CHECK(after.pinned->body == owed.body);
  CHECK(value.rest.count() >= 0);
}

TEST_CASE("codec: what is held back keeps its length and its hash") {
  wake before;
  before.pinned.emplace().body = shared_bytes{std::string(1'000, 'x')};
  const auto* codec = trace::codec_of(typeid(wake));
  const auto written = codec->write(&before, {false});
  CHECK(written.at("pinned").at("body").at("len") == 1'000);
  wake after;
  trace::reading reading;
  codec->read(written, &after, reading);
  CHECK(after.pinned->body.size() == 1'000);
  CHECK(codec->write(&after, {false}) == written);
}

TEST_CASE("codec: a header is told only when decisions are taken by it") {
  http_answer answer;
  answer.status = 429;
  answer.fields = {{"Retry-After", "90"}, {"Set-Cookie", "session=secret"}};
  answer.body = R"({"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":5,"x":"y"})";
  const auto* codec = trace::codec_of(typeid(http_answer));
  const auto text = codec->write(&answer, {false}).dump();
  CHECK(text.find("\"90\"") != std::string::npos);
  CHECK(text.find("secret") == std::string::npos);
  CHECK(text.find("\"retry_after_ms\":5") != std::string::npos);
  CHECK(text.find("\"x\"") == std::string::npos);
}

TEST_CASE("codec: anything but a message is refused with what was expected") {
  for (const std::string text :
       {"1", "[]", "{\"appservice\":1}", "{\"appservice\":\"a\",\"odd\":2}",
        "{\"pinned\":[]}", "null"}) {
    CAPTURE(text);
    trace::reading reading;
    (void)trace::read_message(
      json{{"type", "wake_queue"}, {"content", json::parse(text)}}, reading);
    CHECK_FALSE(reading.problem.empty());
  }
  trace::reading reading;
  (void)trace::read_message(json{{"type", "no_such"}, {"content", {}}},
                            reading);
  CHECK(reading.problem.find("no_such") != std::string::npos);
}

TEST_CASE("codec: a homeserver's transaction is told by ids, size and a hash") {
  incoming_transaction content;
  for (const std::string id : {"$a", "$b"}) {
    auto& added = content.elements.emplace_back();
    added.event_id = id;
    added.bytes = std::string(300, 'x');
  }
  accept_transaction before;
  before.content = shared{content};
  const auto* codec = trace::codec_of(typeid(accept_transaction));
  const auto written = codec->write(&before, {false});
  CHECK(written.at("content").at("event_ids") == json{"$a", "$b"});
  CHECK(written.at("content").at("len") == 600);
  accept_transaction after;
  trace::reading reading;
  codec->read(written, &after, reading);
  CHECK(reading.problem == "");
  REQUIRE(after.content->elements.size() == 2);
  CHECK(after.content->elements[0].bytes.size() == 600);
  CHECK(codec->write(&after, {false}) == written);
  codec->read(codec->write(&before, {true}), &after, reading);
  CHECK(*after.content == content);
}

TEST_CASE("codec: stand-ins take no more memory than a message may") {
  const auto field
    = json::array({"a", {{"len", 600U}, {"sha256", "0123456789abcdef"}}});
  const auto fields = json::array({field, field});
  for (const uint64_t bytes : {uint64_t{1'200}, uint64_t{1'199}}) {
    CAPTURE(bytes);
    trace::reading reading;
    reading.bytes_left = bytes;
    std::vector<http_field> into;
    trace::read(fields, into, reading);
    CHECK(reading.problem.empty() == (bytes == 1'200));
  }
}

TEST_CASE("codec: a stand-in for a token is known in a query, too") {
  const std::string token = "syt_a/b+c==";
  const auto told
    = trace::redacted("access_token=" + encode_path_segment(token));
  const auto stood = trace::stand_in(token.size(), "0123456789abcdef");
  auto replayed = trace::redacted("access_token=" + encode_path_segment(stood));
  CHECK(replayed.at("sha256") == trace::hash_unknown);
  trace::adopt_unknown_hashes(told, replayed);
  CHECK(replayed == told);
}
