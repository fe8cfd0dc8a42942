#include "tests/support/registration_samples.hpp"
#include "tests/support/test_folder.hpp"

using namespace weir;
using namespace weir::registration_samples;

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

TEST_CASE("registrations: whole files are kept only for who copies them") {
  const test_folder folder;
  folder.write("a.yaml", good);
  const std::vector<std::string> globs{folder.path() + "/*.yaml"};
  const auto kept = load_registrations(globs);
  const auto forgotten = load_registrations(globs, documents::forget);
  REQUIRE(kept.registrations.size() == 1);
  REQUIRE(forgotten.registrations.size() == 1);
  CHECK(kept.registrations[0].document != nullptr);
  CHECK(forgotten.registrations[0].document == nullptr);
  CHECK(forgotten.registrations[0].document_hash
        == kept.registrations[0].document_hash);
}

TEST_CASE(
  "registration: a url that leads to Weir itself is refused, since what "
  "is sent there would be acknowledged and reach nobody") {
  const test_folder folder;
  const auto path = folder.write("weir.conf", R"(listen: 127.0.0.1:18009
public_url: https://weir.example/base
admin: {listen: '[::1]:18010'}
homeserver: {name: example.org, url: 'http://h'}
appservices: {registrations: bridge.yaml}
)");
  const auto problems_with = [&](const std::string& url) {
    folder.write("bridge.yaml", changed("url", "url: " + url));
    return as_lines(load_setup(path).problems);
  };
  const lines refused{
    folder.path()
    + "/bridge.yaml:2: url: expected the bridge's own address, this is Weir's "
      "(the copy that weir registration writes is for the homeserver)"};
  for (const auto* url :
       {"http://127.0.0.1:18009/_weir/as/telegram", "http://127.0.0.1:18009",
        "http://LOCALHOST:18009/x", "http://[::1]:18010",
        "https://weir.example:443/base", "https://weir.example/base",
        "http://elsewhere/behind/_weir/as/telegram", "http://other/_weir/as"}) {
    CAPTURE(url);
    CHECK(problems_with(url) == refused);
  }
  for (const auto* url :
       {"http://127.0.0.1:18008", "http://127.0.0.2:18009",
        "https://weir.example/bridge", "http://weir.example/base",
        "unix:/run/_weir/as/x", "http://h/_weir/asx", "http://h", "null"}) {
    CAPTURE(url);
    CHECK(problems_with(url) == lines{});
  }
  folder.write("weir.conf", R"(listen: 0.0.0.0:18009
public_url: http://weir
homeserver: {name: example.org, url: 'http://h'}
appservices: {registrations: bridge.yaml}
)");
  CHECK(problems_with("http://127.0.0.1:18009") == refused);
  CHECK(problems_with("http://bridge:18009") == lines{});
}
