#include "schema/config_values.hpp"
#include "tests/support/registration_samples.hpp"

using namespace weir;
using namespace weir::registration_samples;

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

TEST_CASE("registration: escapes that the parser garbles are refused") {
  for (const std::string escape : {"\\_", "\\N"})
    CHECK(problems_of(changed("sender_localpart",
                              "sender_localpart: \"a" + escape + "\""))
          == lines{"f:5: sender_localpart: expected the characters themselves, "
                   "not \\_ or \\N"});
  CHECK(problems_of(changed("sender_localpart", "sender_localpart: \"\\x41\""))
          .empty());
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

TEST_CASE("registration: what a homeserver refuses in its copy is refused") {
  const auto with = [](const std::string& users) {
    return problems_of(changed(
      "namespaces", "rooms: 1\nnamespaces:\n  users: " + users + "\nleft:"));
  };
  CHECK(with("") == lines{});
  CHECK(with("\n  - {regex: a, exclusive: no, group_id: '+x:y'}") == lines{});
  CHECK(with("\n  - {regex: a}")
        == lines{"f:10: namespaces.users.exclusive: expected true or false"});
  CHECK(with("\n  - {exclusive: 'true', regex: 1}")
        == lines{"f:10: namespaces.users.regex: expected a string",
                 "f:10: namespaces.users.exclusive: expected true or false"});
  CHECK(with("a") == lines{"f:9: namespaces.users: expected a list"});
  CHECK(with("\n  - a").size() == 2);
  CHECK(is_refused(changed("namespaces", "namespaces: []\nleft:")));
  CHECK(is_refused(changed("sender_localpart", "sender_localpart: a b")));
  CHECK(is_refused(good + "org.matrix.msc3202: 'yes'\n"));
  CHECK(is_refused(good + "io.element.msc4190: 1\n"));
  CHECK(is_refused(good + "protocols: irc\n"));
  CHECK(is_refused(good + "protocols: [1]\n"));
  CHECK(problems_of(good + "protocols:\n") == lines{});
  CHECK(problems_of(good + "protocols: [irc]\n") == lines{});
}
