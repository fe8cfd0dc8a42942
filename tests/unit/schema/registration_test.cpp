#include "schema/config_values.hpp"
#include "schema/registration.hpp"
#include "schema/yaml.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace weir;

namespace {

using lines = std::vector<std::string>;

const std::string good = R"(id: telegram
url: http://127.0.0.1:29317
as_token: as-secret
hs_token: hs-secret
sender_localpart: telegrambot
rate_limited: false
namespaces:
  users:
    - {regex: '@telegram_.*:example\.org', exclusive: true}
)";

/// `good` with one line replaced, or left out when `with` is empty.
std::string changed(const std::string& key, const std::string& with) {
  std::string result;
  for (size_t at = 0; at < good.size();) {
    const auto end = good.find('\n', at) + 1;
    const auto line = good.substr(at, end - at);
    if (line.starts_with(key + ":"))
      result += with.empty() ? "" : with + "\n";
    else
      result += line;
    at = end;
  }
  return result;
}

loaded_registrations parse(const std::string& text) {
  loaded_registrations result;
  parse_registration("f", text, result);
  return result;
}

lines as_lines(const std::vector<config_problem>& problems) {
  lines result;
  for (const auto& problem : problems)
    result.push_back(to_string(problem));
  return result;
}

lines problems_of(const std::string& text) {
  return as_lines(parse(text).problems);
}

bool is_refused(const std::string& text) {
  const auto loaded = parse(text);
  return loaded.registrations.empty() && !loaded.problems.empty();
}

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

/// A folder of one test, gone with it.
class test_folder {
public:
  test_folder() {
    auto name = std::filesystem::temp_directory_path().string()
      + "/weir-registration-XXXXXX";
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~test_folder() {
    std::filesystem::remove_all(path_);
  }
  test_folder(const test_folder&) = delete;
  test_folder& operator=(const test_folder&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    const auto path = path_ + "/" + name;
    std::ofstream{path} << text;
    chmod(path.c_str(), 0600);
    return path;
  }
  [[nodiscard]] const std::string& path() const {
    return path_;
  }

private:
  std::string path_;
};

} // namespace

TEST_CASE("registration: a good file is read whole") {
  const auto loaded = parse(good);
  REQUIRE(loaded.registrations.size() == 1);
  CHECK(loaded.warnings.empty());
  const auto& one = loaded.registrations[0];
  CHECK(one.id.value == "telegram");
  CHECK(one.url == "http://127.0.0.1:29317");
  CHECK(one.as_token == "as-secret");
  CHECK(one.hs_token == "hs-secret");
  CHECK(one.sender_localpart == "telegrambot");
  CHECK_FALSE(one.rate_limited);
  CHECK_FALSE(one.receive_ephemeral);
  CHECK(one.source_file == "f");
}

TEST_CASE("registration: every required key that is missing is named") {
  CHECK(problems_of("x: y\n")
        == lines{
          "f: id: expected this key, it is required",
          "f: url: expected this key, it is required",
          "f: as_token: expected this key, it is required",
          "f: hs_token: expected this key, it is required",
          "f: sender_localpart: expected this key, it is required",
          "f: namespaces: expected this key, it is required",
        });
}

TEST_CASE("registration: a1: duplicate keys are refused") {
  CHECK(problems_of(good + "id: other\n")
        == lines{"f:10: id: expected a key only once, it stands on line 1 "
                 "too"});
}

TEST_CASE("registration: a1: tags are refused but that of a string") {
  CHECK(is_refused(changed("hs_token", "hs_token: !secret x")));
  CHECK(is_refused(good + "x: !!python/object:os.system {}\n"));
  CHECK(is_refused(good + "x: !!int \"1\"\n"));
  CHECK(problems_of(changed("hs_token", "hs_token: !!str 1234")) == lines{});
}

TEST_CASE("registration: a1: tokens that YAML takes for no string are refused "
          "with file and key") {
  CHECK(problems_of(changed("hs_token", "hs_token: 1234"))
        == lines{"f:4: hs_token: expected a string, put it in quotes"});
  for (const auto* token :
       {"0x1f", "1_000", "1.5",   "1e5", ".5",         "1:30:45",
        "0b1",  "0o17",  "+1",    "-1",  "true",       "Yes",
        "off",  "~",     "null",  "",    "2001-12-14", "2001-12-14T21:59:43Z",
        ".inf", "[a]",   "{a: b}"})
    CHECK_MESSAGE(
      is_refused(changed("as_token", std::string{"as_token: "} + token)),
      token);
  for (const auto* token : {"'1234'", "\"true\"", "12ab", "deadbeef", "1-2",
                            "1.2.3", "e5", "0xg", "yesno", "|-\n  1234"})
    CHECK_MESSAGE(
      problems_of(changed("as_token", std::string{"as_token: "} + token))
        == lines{},
      token);
}

TEST_CASE("registration: a token that no header can carry is refused") {
  CHECK(problems_of(changed("hs_token", "hs_token: tökën"))
        == lines{"f:4: hs_token: expected a token of printable ASCII without "
                 "spaces"});
  CHECK(is_refused(changed("hs_token", "hs_token: a b")));
  CHECK(is_refused(changed("hs_token", "hs_token: \"a\\nb\"")));
  CHECK(is_refused(
    changed("hs_token", "hs_token: " + std::string(token_bytes_max + 1, 'a'))));
}

TEST_CASE("registration: a2: the copy differs in its url alone") {
  const std::string text = R"(# a comment
id: "a/b c"
url: https://bridge:443/
as_token: "1234"
hs_token: 'x:"y"#\'
sender_localpart: bot
rate_limited: no
org.matrix.msc3202: true
io.element.msc4190: "true"
de.sorunome.msc2409.push_ephemeral: true
protocols: [irc, "1.0", 1.0, 0x1F, 1e10, ~, null, "null", "", 012, 2001-12-14]
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

TEST_CASE("registration: a2: a copy of a null url points to Weir too") {
  const auto copy = copy_of(changed("url", "url: null"), "https://w/base");
  REQUIRE(copy.find("url"));
  CHECK(copy.find("url")->value.text == "https://w/base/_weir/as/telegram");
}

TEST_CASE("registration: a2: a registration written as JSON is copied") {
  const auto copy = copy_of(
    R"({"id": "j", "url": null, "as_token": "1", "hs_token": "2",
        "sender_localpart": "b", "namespaces": {}, "n": 1, "s": "1"})");
  CHECK_FALSE(is_yaml_string(copy.find("n")->value));
  CHECK(is_yaml_string(copy.find("s")->value));
  CHECK(copy.find("namespaces")->value.is_map());
}

TEST_CASE("registration: a3: urls come to their normal form") {
  const auto url_of = [](const std::string& url) {
    const auto loaded = parse(changed("url", "url: '" + url + "'"));
    return loaded.registrations.empty()
      ? std::string{"refused"}
      : loaded.registrations[0].url.value_or("null");
  };
  CHECK(url_of("http://h") == "http://h");
  CHECK(url_of("HTTPS://h:443///") == "https://h:443");
  CHECK(url_of("http://h:80/base//") == "http://h:80/base");
  CHECK(url_of("http://[::1]:9000/") == "http://[::1]:9000");
  CHECK(url_of("http://mautrix_telegram:1") == "http://mautrix_telegram:1");
  CHECK(url_of("unix:/run/a.sock") == "unix:/run/a.sock");
  CHECK(url_of("unix:///run/a.sock/") == "unix:/run/a.sock");
  CHECK(url_of("unix://run/a.sock") == "refused");
  CHECK(url_of("unix:a.sock") == "refused");
  CHECK(url_of("unix:" + std::string(120, '/')) == "refused");
  CHECK(url_of("unix:/" + std::string(107, 'a')) == "refused");
  CHECK(url_of("http://user@h") == "refused");
  CHECK(url_of("http://user:password@h") == "refused");
  CHECK(url_of("http://h/?x=y") == "refused");
  CHECK(url_of("http://h/?") == "refused");
  CHECK(url_of("http://h/#x") == "refused");
  CHECK(url_of("ws://h") == "refused");
  CHECK(url_of("h:80") == "refused");
  CHECK(url_of("http:///x") == "refused");
  CHECK(url_of("http://[::1") == "refused");
  CHECK(url_of("http://h:port") == "refused");
  CHECK(url_of("http://a b") == "refused");
  CHECK(url_of("") == "refused");
  CHECK(url_of("null") == "refused");
  CHECK(is_refused(changed("url", "url: [a]")));
}

TEST_CASE("registration: a3: an explicit null url is allowed") {
  for (const auto* written : {"url: null", "url: ~", "url:"}) {
    const auto loaded = parse(changed("url", written));
    REQUIRE(loaded.registrations.size() == 1);
    CHECK_FALSE(loaded.registrations[0].url.has_value());
  }
}

TEST_CASE("registration: ids that no path or table can carry are refused") {
  for (const auto* id :
       {"1234", "''", "'a|b'", "'..'", "'.'", "\"a\\0b\"", "weir", "[a]"})
    CHECK_MESSAGE(is_refused(changed("id", std::string{"id: "} + id)), id);
  CHECK(is_refused(changed("id", "id: " + std::string(256, 'a'))));
  CHECK(problems_of(changed("id", "id: 'a/b c ü'")) == lines{});
}

TEST_CASE("registration: what only homeservers refuse is a warning") {
  const auto warned = [](const std::string& text) {
    const auto loaded = parse(text);
    return loaded.registrations.size() == 1 && loaded.warnings.size() == 1;
  };
  CHECK(warned(changed("sender_localpart", "sender_localpart: 'a=b'")));
  CHECK(warned(changed("rate_limited", "rate_limited: 'false'")));
  CHECK(warned(changed("    - {regex", "    - {regex: x}")));
  CHECK(is_refused(changed("namespaces", "namespaces: []")));
  CHECK(is_refused(changed("sender_localpart", "sender_localpart: 12")));
}

TEST_CASE("registration: both spellings of receive_ephemeral are honoured") {
  CHECK(parse(good + "receive_ephemeral: true\n")
          .registrations.at(0)
          .receive_ephemeral);
  CHECK(parse(good + "de.sorunome.msc2409.push_ephemeral: true\n")
          .registrations.at(0)
          .receive_ephemeral);
  CHECK_FALSE(parse(good + "receive_ephemeral: false\n")
                .registrations.at(0)
                .receive_ephemeral);
}

TEST_CASE("registration: a bomb made of aliases is refused in little memory") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const auto before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j)
      bomb += before + (j < 9 ? ", " : "]\n");
  }
  const auto found = problems_of(good + bomb);
  REQUIRE(found.size() == 1);
  CHECK(found[0].find("expected aliases that unfold to less")
        != std::string::npos);
}

TEST_CASE("registration: an alias inside of what it names is refused") {
  CHECK(problems_of(good + "x: &x [*x]\n")
        == lines{"f:10: x: expected no alias inside of what it names"});
  CHECK(is_refused(good + "x: &x {y: *x}\n"));
  CHECK(is_refused(good + "x: *nothing\n"));
}

TEST_CASE(
  "registration: nesting, merge keys and second documents are refused") {
  CHECK(is_refused(good + "x: " + std::string(100, '[') + std::string(100, ']')
                   + "\n"));
  CHECK(is_refused(good + "x: " + std::string(100'000, '[') + "\n"));
  CHECK(is_refused(good + "x: &x {a: b}\n<<: *x\n"));
  CHECK(is_refused(good + "---\n" + good));
  CHECK(is_refused(good + "[a]: b\n"));
  CHECK(is_refused(good + "? {a: b}\n: c\n"));
  CHECK(is_refused(""));
  CHECK(is_refused("- a\n"));
  CHECK(is_refused(good + std::string(300, 'k') + ": v\n"));
}

TEST_CASE("registration: a4: a second owner of an id or an as_token is refused "
          "and both files are named") {
  const test_folder folder;
  const auto a = folder.write("a.yaml", good);
  const auto b = folder.write("b.yaml", changed("as_token", "as_token: other"));
  const auto c = folder.write("c.yaml", changed("id", "id: other"));
  const auto loaded = load_registrations({folder.path() + "/*.yaml"});
  CHECK(as_lines(loaded.problems)
        == lines{b + ":1: id: expected an id of its own, " + a + " has it too",
                 c + ":3: as_token: expected a token ("
                   + token_fingerprint("as-secret") + ") of its own, " + a
                   + " has it too"});
}

TEST_CASE("registration: a4: a shared hs_token is noted, not refused") {
  const test_folder folder;
  folder.write("a.yaml", good);
  CHECK(load_registrations({folder.path() + "/*"}).hs_tokens_unique);
  auto other = changed("id", "id: other");
  other.replace(other.find("as-secret"), 9, "as-other");
  folder.write("b.yaml", other);
  const auto loaded = load_registrations({folder.path() + "/*"});
  CHECK(as_lines(loaded.problems) == lines{});
  CHECK_FALSE(loaded.hs_tokens_unique);
  CHECK(loaded.registrations.size() == 2);
}

TEST_CASE("registration: a5: no message holds a token") {
  const test_folder folder;
  const std::string bad = "hs-sécret";
  folder.write("a.yaml", good);
  folder.write("b.yaml", good);
  folder.write("c.yaml", changed("hs_token", "hs_token: " + bad));
  folder.write("d.yaml", changed("hs_token", "hs_token: {as-secret: 1}"));
  const auto loaded = load_registrations({folder.path() + "/*"});
  CHECK(loaded.problems.size() >= 4);
  for (const auto& line : as_lines(loaded.problems)) {
    CHECK(line.find("secret") == std::string::npos);
    CHECK(line.find(bad) == std::string::npos);
  }
  CHECK(token_fingerprint("abc") == "ba7816bf");
}

TEST_CASE("registration: globs name each file once, in order of path") {
  const test_folder folder;
  auto second = changed("id", "id: second");
  second.replace(second.find("as-secret"), 9, "as-other");
  folder.write("2.yaml", second);
  folder.write("1.yaml", good);
  folder.write("3.txt", "no yaml: [");
  const auto loaded = load_registrations(
    {folder.path() + "/2.yaml", folder.path() + "/*.yaml"});
  CHECK(as_lines(loaded.problems) == lines{});
  REQUIRE(loaded.registrations.size() == 2);
  CHECK(loaded.registrations[0].id.value == "telegram");
  CHECK(loaded.registrations[1].id.value == "second");
}

TEST_CASE("registration: a named file must be there, a wildcard may wait") {
  const test_folder folder;
  CHECK(load_registrations({folder.path() + "/a.yaml"}).problems.size() == 1);
  const auto waiting = load_registrations({folder.path() + "/*.yaml"});
  CHECK(waiting.problems.empty());
  CHECK(waiting.warnings.size() == 1);
  CHECK(load_registrations({folder.path() + "/no/*.yaml"}).problems.size()
        == 1);
}

TEST_CASE("registration: a file over its bound is refused") {
  const test_folder folder;
  folder.write("a.yaml",
               good + "x: " + std::string(registration_bytes_max, 'x') + "\n");
  CHECK(load_registrations({folder.path() + "/*"}).problems.size() == 1);
}

TEST_CASE("registration: the setup checks overrides and tokens against files") {
  const test_folder folder;
  folder.write("bridge.yaml", good);
  const auto path = folder.write("weir.conf", R"(homeserver:
  name: example.org
  url: http://h
  as_token: as-secret
appservices:
  registrations: bridge.yaml
  overrides:
    telegram: {poison: block}
    irc: {}
)");
  const auto setup = load_setup(path);
  CHECK(as_lines(setup.problems)
        == lines{folder.path()
                   + "/bridge.yaml:3: as_token: expected a token of its own, "
                     "homeserver.as_token is the same",
                 path
                   + ":9: appservices.overrides.irc: expected the id of a "
                     "registration that is loaded"});
  CHECK(setup.registrations.size() == 1);
  CHECK(options_of(setup.settings, "telegram").poison == poison_policy::block);
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
