#include "schema/transaction.hpp"

#include "schema/hash.hpp"
#include "schema/limits.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

using namespace weir;

namespace {

incoming_transaction slice(std::string_view body) {
  auto sliced = slice_transaction(body);
  REQUIRE_MESSAGE(sliced.has_value(), body);
  return std::move(sliced.value());
}

ec refusal(std::string_view body) {
  const auto sliced = slice_transaction(body);
  return sliced ? ec::none : sliced.error().code;
}

/// `lane keys bytes` of each element; the keys with '+' for the line break.
std::vector<std::string> shape(std::string_view body) {
  std::vector<std::string> lines;
  for (const auto& one : slice(body).elements) {
    auto keys = one.keys;
    if (const auto at = keys.find('\n'); at != std::string::npos)
      keys[at] = '+';
    lines.push_back(std::string{to_string(one.kind)} + ' ' + keys + ' '
                    + one.bytes);
  }
  return lines;
}

using lines = std::vector<std::string>;

} // namespace

TEST_CASE("transaction: the bytes of an event are kept exactly") {
  for (const std::string event :
       {R"({"n":9007199254740993,"m":-0,"e":1e10,"f":1.0,"big":1e400})",
        R"({"s":"\ud800","nul":"\u0000","slash":"\/","wide":"é"})",
        R"({"b":1,"a":2,"b":3})", R"({ "a" : [ 1 , 2 ]	, "z":{ } })", "{}"}) {
    CAPTURE(event);
    const auto sliced
      = slice(R"({"events" : [ )" + event + " ,\n" + event + " ] }");
    REQUIRE(sliced.elements.size() == 2);
    CHECK(sliced.elements[0].bytes == event);
    CHECK(sliced.elements[1].bytes == event);
    CHECK(sliced.elements[0].kind == lane::event);
    CHECK(sliced.elements[0].keys.empty());
  }
}

TEST_CASE("transaction: events keep their order and their hashes") {
  const auto sliced
    = slice(R"({"events":[{"event_id":"$b"},{"event_id":"$a"},{"x":1}]})");
  REQUIRE(sliced.elements.size() == 3);
  CHECK(sliced.elements[0].event_id == "$b");
  CHECK(sliced.elements[1].event_id == "$a");
  CHECK(sliced.elements[2].event_id.empty());
  CHECK(sliced.event_hashes
        == std::vector<uint64_t>{sha256_head("$b"), sha256_head("$a"),
                                 sha256_head(R"({"x":1})")});
  CHECK(sliced.elements[0].id_hash == sha256_head("$b"));
  CHECK(sliced.non_event_hash == 0);
}

TEST_CASE("transaction: an event id is the event's own and unescaped") {
  const auto id_in = [](const std::string& event) {
    return slice(R"({"events":[)" + event + "]}").elements.at(0).event_id;
  };
  CHECK(id_in(R"({"event_id":"$\u0061\/b"})") == "$a/b");
  CHECK(id_in(R"({"\u0065vent_id":"$a"})") == "$a");
  CHECK(id_in(R"({"event_id":"$old","x":1,"event_id":"$new"})") == "$new");
  CHECK(id_in(R"({"event_id":"$old","event_id":5})").empty());
  CHECK(id_in(R"({"content":{"event_id":"$inner"}})").empty());
  CHECK(id_in(R"({"event_id":["$a"]})").empty());
  CHECK(id_in(R"({"event_id":null})").empty());
  CHECK(id_in(R"({"event_id":""})").empty());
  CHECK(id_in(R"({"event_id_":"$a"})").empty());
}

TEST_CASE("transaction: an event id that is no storable text is not used") {
  for (const std::string event :
       {R"({"event_id":"$\ud800"})", R"({"event_id":"$\u0000"})"}) {
    CAPTURE(event);
    const auto sliced = slice(R"({"events":[)" + event + "]}");
    CHECK(sliced.elements.at(0).event_id.empty());
    CHECK(sliced.elements.at(0).id_hash == sha256_head(event));
  }
}

TEST_CASE("transaction: an item of events that is no object is kept raw") {
  const auto sliced = slice(R"({"events":[1e2,"s",null,[ 1 ],{}]})");
  CHECK(shape(R"({"events":[1e2,"s",null,[ 1 ],{}]})")
        == lines{"event  1e2", "event  \"s\"", "event  null", "event  [ 1 ]",
                 "event  {}"});
  CHECK(sliced.event_hashes.at(0) == sha256_head("1e2"));
  CHECK(sliced.event_hashes.at(3) == sha256_head("[ 1 ]"));
}

TEST_CASE("transaction: missing events are an empty list") {
  CHECK(slice("{}") == incoming_transaction{});
  CHECK(slice(R"({"events":[]})") == incoming_transaction{});
  CHECK(slice(R"( { "events" : [ ] } )") == incoming_transaction{});
}

TEST_CASE("transaction: each known key has its lane") {
  CHECK(shape(R"({"ephemeral":[1]})") == lines{"ephemeral ephemeral 1"});
  CHECK(shape(R"({"de.sorunome.msc2409.ephemeral":[1]})")
        == lines{"ephemeral de.sorunome.msc2409.ephemeral 1"});
  CHECK(shape(R"({"to_device":[1]})") == lines{"to_device to_device 1"});
  CHECK(shape(R"({"de.sorunome.msc2409.to_device":[1]})")
        == lines{"to_device de.sorunome.msc2409.to_device 1"});
  for (const std::string key :
       {"device_lists", "org.matrix.msc3202.device_lists"}) {
    CHECK(shape("{\"" + key + R"(":{"changed":[ ]}})")
          == lines{"device_lists " + key + R"( {"changed":[ ]})"});
  }
  for (const std::string key :
       {"device_one_time_keys_count",
        "org.matrix.msc3202.device_one_time_keys_count",
        "org.matrix.msc3202.device_one_time_key_counts",
        "device_unused_fallback_key_types",
        "org.matrix.msc3202.device_unused_fallback_key_types"}) {
    CHECK(shape("{\"" + key + R"(":{"@a:b":{"D":[]}}})")
          == lines{"key_counts " + key + R"( {"@a:b":{"D":[]}})"});
  }
  CHECK(shape(R"({"m.synthetic_events":[1, 2]})")
        == lines{"other m.synthetic_events [1, 2]"});
  CHECK(shape(R"({"":0})") == lines{"other  0"});
  CHECK(shape(R"({"Events":[1]})") == lines{"other Events [1]"});
}

TEST_CASE("transaction: what is empty owes nothing, other keys always do") {
  CHECK(shape(R"({"events":[],"ephemeral":[ ],"to_device":[],)"
              R"("device_lists":{ },"device_one_time_keys_count":{}})")
          .empty());
  CHECK(shape(R"({"a":[],"b":{},"c":null,"d":""})")
        == lines{"other a []", "other b {}", "other c null", "other d \"\""});
}

TEST_CASE("transaction: a device list or key count of no promised shape is "
          "passed on as it is") {
  CHECK(
    shape(R"({"device_lists":null,"device_one_time_keys_count":[]})")
    == lines{"other device_lists null", "other device_one_time_keys_count []"});
  CHECK(shape(R"({"device_lists":[{}]})") == lines{"other device_lists [{}]"});
}

TEST_CASE("transaction: two spellings of one list become one with two keys") {
  CHECK(shape(R"({"ephemeral":[1,{ }],"x":0,)"
              R"("de.sorunome.msc2409.ephemeral":[ 1 , { } ]})")
        == lines{"ephemeral ephemeral+de.sorunome.msc2409.ephemeral 1",
                 "ephemeral ephemeral+de.sorunome.msc2409.ephemeral { }",
                 "other x 0"});
  CHECK(shape(R"({"de.sorunome.msc2409.to_device":[1],"to_device":[1]})")
        == lines{"to_device de.sorunome.msc2409.to_device+to_device 1"});
}

TEST_CASE("transaction: two spellings with other items stay two lists") {
  CHECK(shape(R"({"ephemeral":[1],"de.sorunome.msc2409.ephemeral":[1,2]})")
        == lines{"ephemeral ephemeral 1",
                 "ephemeral de.sorunome.msc2409.ephemeral 1",
                 "ephemeral de.sorunome.msc2409.ephemeral 2"});
  CHECK(shape(R"({"ephemeral":[],"de.sorunome.msc2409.ephemeral":[1]})")
        == lines{"ephemeral de.sorunome.msc2409.ephemeral 1"});
  // Equal, but not byte by byte.
  CHECK(shape(R"({"to_device":[1],"de.sorunome.msc2409.to_device":[1.0]})")
        == lines{"to_device to_device 1",
                 "to_device de.sorunome.msc2409.to_device 1.0"});
  CHECK(shape(R"({"to_device":[1],"ephemeral":[1]})")
        == lines{"to_device to_device 1", "ephemeral ephemeral 1"});
}

TEST_CASE("transaction: elements come events first, then lists, then values") {
  CHECK(shape(R"({"x":{},"to_device":[1],"ephemeral":[2],"events":[3],)"
              R"("device_lists":{"a":0},"de.sorunome.msc2409.to_device":[1]})")
        == lines{"event  3",
                 "to_device to_device+de.sorunome.msc2409.to_device 1",
                 "ephemeral ephemeral 2", "other x {}",
                 R"(device_lists device_lists {"a":0})"});
}

TEST_CASE("transaction: keys are compared unescaped and kept as spelled") {
  CHECK(shape(R"({"\u0065vents":[1],"ephemera\u006c":[2],"\ud800\n":3})")
        == lines{"event  1", R"(ephemeral ephemera\u006c 2)",
                 R"(other \ud800\n 3)"});
}

TEST_CASE("transaction: what does not belong to events has a hash") {
  const auto hash
    = [](std::string_view body) { return slice(body).non_event_hash; };
  CHECK(hash(R"({"events":[1],"ephemeral":[],"device_lists":{},"x":[ ]})")
        == 0);
  CHECK(hash(R"({"to_device": [1, 2], "events":[], "x" :null})")
        == sha256_head(R"("to_device":[1, 2]"x":null)"));
  CHECK(hash(R"({"to_device":[1],"events":[{"a":1}]})")
        == hash(R"({"events":[],"to_device":[1],"ephemeral":[]})"));
  CHECK(hash(R"({"to_device":[1]})") != hash(R"({"to_device":[2]})"));
  CHECK(hash(R"({"to_device":[1]})") != hash(R"({"ephemeral":[1]})"));
}

TEST_CASE("transaction: other lanes carry the hash of their bytes") {
  const auto sliced = slice(R"({"to_device":[{"event_id":"$a"}],"x":1})");
  REQUIRE(sliced.elements.size() == 2);
  CHECK(sliced.elements[0].id_hash == sha256_head(R"({"event_id":"$a"})"));
  CHECK(sliced.elements[0].event_id.empty());
  CHECK(sliced.elements[1].id_hash == sha256_head("1"));
  CHECK(sliced.event_hashes.empty());
}

TEST_CASE("transaction: a body of the wrong shape is bad JSON") {
  for (const auto* body :
       {"[]", "null", "1", R"("events")", R"({"events":{}})",
        R"({"events":null})", R"({"events":"[]"})", R"({"ephemeral":{}})",
        R"({"de.sorunome.msc2409.ephemeral":null})", R"({"to_device":1})",
        R"({"de.sorunome.msc2409.to_device":true})", R"({"\u0065vents":{}})",
        R"({"events":[],"events":[]})", R"({"a":1,"b":2,"a":1})",
        R"({"events":[],"\u0065vents":[]})", R"({"":1,"":1})"}) {
    CAPTURE(body);
    CHECK(refusal(body) == ec::bad_json);
  }
}

TEST_CASE("transaction: what is not JSON is told before what is misshapen") {
  for (const auto* body :
       {"", "{", R"({"events":[)", R"({"events":{},})", R"({"events":[{]})",
        R"({"events":[1,]})", R"({"a":1,"a":tru})", "[1]x",
        R"({"events":[{"a":"\q"}]})", "{\"events\":[\"\xff\"]}",
        R"({"events":[{"event_id":"$a" "x":1}]})", "{}{}", "\xef\xbb\xbf{}"}) {
    CAPTURE(body);
    CHECK(refusal(body) == ec::not_json);
  }
}

TEST_CASE("transaction: nesting is counted from the body down") {
  const auto body = [](size_t lists) {
    return R"({"events":[{"a":)" + std::string(lists, '[')
      + std::string(lists, ']') + "}]}";
  };
  CHECK(refusal(body(197)) == ec::none);
  CHECK(refusal(body(198)) == ec::not_json);
}

TEST_CASE("transaction: so many elements and no more, of all lanes together") {
  const auto list = [](std::string_view key, size_t items) {
    std::string text = fmt::format(R"("{}":[0)", key);
    for (size_t each = 1; each < items; ++each)
      text += ",0";
    return text + "]";
  };
  const auto max = limits::transaction_elements_max;
  CHECK(
    slice_transaction("{" + list("events", max) + "}").value().elements.size()
    == max);
  for (const auto& body :
       {"{" + list("events", max + 1) + "}",
        "{" + list("ephemeral", max + 1) + "}",
        "{" + list("events", max - 1) + R"(,"a":1,"b":2})",
        "{" + list("events", max) + "," + list("to_device", 1) + "}"})
    CHECK(refusal(body) == ec::too_large);
  std::string keys;
  for (size_t each = 0; each <= max; ++each)
    keys += fmt::format(R"(,"{}":1)", each);
  CHECK(refusal("{" + keys.substr(1) + "}") == ec::too_large);
  // What it is wrong with besides is told first.
  CHECK(refusal("{" + list("events", max + 1)) == ec::not_json);
}
