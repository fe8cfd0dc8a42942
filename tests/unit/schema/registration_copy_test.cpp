#include "schema/yaml.hpp"
#include "tests/support/registration_samples.hpp"

using namespace weir;
using namespace weir::registration_samples;

namespace {

/// What the homeserver's copy of `text` says, read again.
yaml_node copy_of(const std::string& text,
                  const std::string& public_url = "http://weir:8009") {
  const auto loaded = parse(text);
  REQUIRE(as_lines(loaded.problems) == lines{});
  const auto copy
    = read_yaml(emit_homeserver_copy(loaded.registrations.at(0), public_url));
  REQUIRE(copy.problems.empty());
  return copy.root;
}

/// Equal in kind, text and in being a string, wherever the nodes stood.
bool same_values(const yaml_node& a, const yaml_node& b) {
  if (a.kind != b.kind || a.text != b.text
      || is_yaml_string(a) != is_yaml_string(b)
      || a.items.size() != b.items.size()
      || a.entries.size() != b.entries.size())
    return false;
  for (size_t i = 0; i < a.items.size(); ++i)
    if (!same_values(a.items[i], b.items[i]))
      return false;
  for (size_t i = 0; i < a.entries.size(); ++i)
    if (!same_values(a.entries[i].key, b.entries[i].key)
        || !same_values(a.entries[i].value, b.entries[i].value))
      return false;
  return true;
}

} // namespace

TEST_CASE("registration: a2: the copy differs in its url alone") {
  const std::string text = R"(# a comment
id: "a/b c"
url: https://bridge:443/
as_token: "1234"
hs_token: 'x:"y"#\'
sender_localpart: bot
rate_limited: no
org.matrix.msc3202: true
org.example.quoted: "true"
de.sorunome.msc2409.push_ephemeral: true
org.example.values: [irc, "1.0", 1.0, 0x1F, 1e10, ~, null,
  "null", "", 012, 2001-12-14]
ip_range_whitelist:
- 10.0.0.0/8
- - nested
  - []
  - {}
  - {a: 1, "2": b, yes: 3}
folded: >-
  one
  two

  three
literal: |
  äöü "quoted" \ back
escaped: "\x85\u2028\0\t\U0001F600\x7f"
&anchor named: &value {x: [1, 2]}
again: *value
spaces: '  a  '
plain with spaces: 2001-12-14 21:59:43.10 -5
colon: a:b:c
namespaces:
  users:
  - regex: "@a_.*"
    exclusive: true
    group_id: "+x:y"
)";
  auto original = parse(text);
  REQUIRE(as_lines(original.problems) == lines{});
  auto expected = *original.registrations[0].document;
  for (auto& [key, value] : expected.entries)
    if (key.text == "url")
      value.text = "http://weir:8009/_weir/as/a%2Fb%20c";
  CHECK(same_values(expected, copy_of(text)));
  CHECK(emit_homeserver_copy(original.registrations[0], "http://weir:8009")
          .find("rate_limited: no\n")
        != std::string::npos);
}

TEST_CASE("registration: r21: a null url stays null in the copy") {
  const auto copy = copy_of(changed("url", "url: null"), "https://w/base");
  REQUIRE(copy.find("url"));
  CHECK(copy.find("url")->value.is_null());
}

TEST_CASE("registration: a2: a registration written as JSON is copied") {
  const auto copy = copy_of(
    R"({"id": "j", "url": null, "as_token": "1", "hs_token": "2",
        "sender_localpart": "b", "namespaces": {}, "n": 1, "s": "1"})");
  CHECK_FALSE(is_yaml_string(copy.find("n")->value));
  CHECK(is_yaml_string(copy.find("s")->value));
  CHECK(copy.find("namespaces")->value.is_map());
}

TEST_CASE("registration: Weir's own is a registration like any other") {
  const auto text = emit_weir_registration("[::1]:80", "as\"1", "hs");
  const auto document = read_yaml(text);
  REQUIRE(document.problems.empty());
  const auto& root = document.root;
  CHECK(root.find("id")->value.text == "weir");
  CHECK(root.find("url")->value.is_null());
  CHECK(root.find("as_token")->value.text == "as\"1");
  CHECK(root.find("hs_token")->value.text == "hs");
  CHECK(root.find("sender_localpart")->value.text == "weir");
  CHECK(root.find("rate_limited")->value.text == "false");
  const auto& users = root.find("namespaces")->value.find("users")->value;
  REQUIRE(users.items.size() == 1);
  CHECK(users.items[0].find("regex")->value.text == "@.*:\\[::1\\]:80$");
  CHECK_FALSE(is_yaml_string(users.items[0].find("exclusive")->value));
  CHECK(users.items[0].find("exclusive")->value.text == "false");
}
