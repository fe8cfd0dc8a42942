#include "http/cli/admin_commands.hpp"
#include "http/cli/command_line.hpp"
#include "http/cli/text_table.hpp"

#include "tests/support/source_dir.hpp"
#include "tests/support/test_folder.hpp"
#include "tests/unit/http/fake_admin.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace weir;
using namespace weir::test;

namespace {

/// A folder of one test with a configuration and one bridge.
class test_setup : public test_folder {
public:
  test_setup() {
    write("bridge.yaml",
          "id: irc/1\nurl: http://127.0.0.1:1\nas_token: a\n"
          "hs_token: '12'\nsender_localpart: b\n"
          "namespaces: {}\nextra: yes\n");
    write("conf.yaml",
          "homeserver: {name: example.org, url: 'http://h'}\n"
          "storage: {url: 'sqlite://"
            + path()
            + "/weir.db'}\n"
              "appservices: {registrations: bridge.yaml}\n");
  }
};

struct outcome {
  int code = -1;
  std::string out;
  std::string err;
};

outcome run(std::vector<std::string> words,
            const command_line_parts& parts = {}) {
  words.insert(words.begin(), "weir");
  std::vector<const char*> argv;
  for (const auto& word : words)
    argv.push_back(word.c_str());
  std::ostringstream out, err;
  const auto code = run_command_line(static_cast<int>(argv.size()), argv.data(),
                                     parts, out, err);
  return {code, out.str(), err.str()};
}

} // namespace

TEST_CASE("cli: check sums up what is right in one line") {
  const test_setup setup;
  const auto done = run({"check", "--config", setup.path() + "/conf.yaml"});
  CHECK(done.code == 0);
  CHECK(done.out
        == "ok: 1 appservices, SQLite store, appservice API on "
           "127.0.0.1:8009, admin API on 127.0.0.1:8010, 0 warnings\n");
}

TEST_CASE("cli: check prints every problem of every file and fails") {
  const test_setup setup;
  setup.write("bad.yaml",
              "homeserver: {name: example.org}\nlisten: 8009\n"
              "appservices: {registrations: '*e.yaml'}\n");
  setup.write("e.yaml", "id: 1\nurl: x\n");
  const auto done = run({"check", "--config", setup.path() + "/bad.yaml"});
  CHECK(done.code == 1);
  CHECK(has(done.out, setup.path() + "/bad.yaml:1: homeserver.url: expected "));
  CHECK(has(done.out, setup.path() + "/bad.yaml:2: listen: expected "));
  CHECK(has(done.out, setup.path() + "/e.yaml:1: id: expected a string"));
  CHECK(has(done.out, setup.path() + "/e.yaml:2: url: expected a URL"));
  CHECK(has(done.out, setup.path() + "/e.yaml: as_token: expected this key"));
}

TEST_CASE("cli: registration writes private files and says what to do") {
  const test_setup setup;
  const auto out = setup.path() + "/out";
  const auto done = run(
    {"registration", "--config", setup.path() + "/conf.yaml", "--out", out});
  CHECK(done.err == "");
  CHECK(done.code == 0);
  CHECK(has(done.out,
            "app_service_config_files:\n  - \"" + out
              + "/irc%2F1.yaml\"\n  - \"" + out + "/weir.yaml\"\n"));
  CHECK(has(done.out, "as_token_file: \"" + out + "/weir.token\""));
  CHECK(setup.mode("out/weir.yaml") == 0600);
  CHECK(setup.mode("out/weir.token") == 0600);
  CHECK(setup.read("out/irc%2F1.yaml")
        == "id: \"irc/1\"\nurl: "
           "\"http://127.0.0.1:8009/_weir/as/irc%2F1\"\nas_token: a\n"
           "hs_token: \"12\"\nsender_localpart: b\nnamespaces: {}\nextra: "
           "yes\n");
  auto token = setup.read("out/weir.token");
  token.pop_back();
  CHECK(token.size() == 64);
  CHECK(has(setup.read("out/weir.yaml"), "as_token: \"" + token + "\""));
  CHECK_FALSE(has(done.out, token));
  CHECK(setup.files() == 3);
}

TEST_CASE("cli: registration written again keeps Weir's tokens") {
  const test_setup setup;
  const std::vector<std::string> words{"registration", "--config",
                                       setup.path() + "/conf.yaml", "--out",
                                       setup.path() + "/out"};
  REQUIRE(run(words).code == 0);
  const auto before = setup.read("out/weir.yaml");
  const auto again = run(words);
  CHECK(again.code == 0);
  CHECK(setup.read("out/weir.yaml") == before);
  CHECK(has(again.out, "unchanged " + setup.path() + "/out/weir.yaml"));
  CHECK(has(again.out, "kept " + setup.path() + "/out/weir.token\n"));
  CHECK_FALSE(has(again.out, "wrote "));
  std::filesystem::remove(setup.path() + "/out/weir.token");
  CHECK(has(run(words).out, "wrote " + setup.path() + "/out/weir.token\n"));
}

TEST_CASE("cli: registration makes the token file that the configuration "
          "names") {
  const test_setup setup;
  setup.write("conf.yaml",
              "homeserver: {name: a, url: 'http://h', "
              "as_token_file: own.token}\n");
  const std::vector<std::string> words{"registration", "--config",
                                       setup.path() + "/conf.yaml", "--out",
                                       setup.path() + "/out"};
  CHECK(run({"check", "--config", setup.path() + "/conf.yaml"}).code == 1);
  const auto done = run(words);
  CHECK(done.err == "");
  CHECK(done.code == 0);
  CHECK(has(done.out, "wrote " + setup.path() + "/own.token\n"));
  CHECK(setup.mode("own.token") == 0600);
  const auto token = setup.read("own.token");
  CHECK(run({"check", "--config", setup.path() + "/conf.yaml"}).code == 0);
  CHECK(run(words).code == 0);
  CHECK(setup.read("own.token") == token);
  CHECK(has(setup.read("out/weir.yaml"), token.substr(0, 64)));
}

TEST_CASE("cli: registration takes the token that the configuration has") {
  const test_setup setup;
  setup.write("conf.yaml",
              "homeserver: {name: a, url: 'http://h', as_token: "
              "mine}\n");
  const auto done = run({"registration", "--config",
                         setup.path() + "/conf.yaml", "--out", setup.path()});
  CHECK(done.code == 0);
  CHECK(has(setup.read("weir.yaml"), "as_token: \"mine\"\n"));
  CHECK_FALSE(has(done.out, "as_token_file"));
}

TEST_CASE("cli: registration never writes over what is not its own") {
  const test_setup setup;
  setup.write("weir.yaml", "listen: 127.0.0.1:8009\n");
  auto done = run({"registration", "--config", setup.path() + "/conf.yaml",
                   "--out", setup.path()});
  CHECK(done.code == 1);
  CHECK(has(done.err, "weir.yaml: is there already"));
  CHECK(setup.read("weir.yaml") == "listen: 127.0.0.1:8009\n");

  std::filesystem::remove(setup.path() + "/weir.yaml");
  std::filesystem::rename(setup.path() + "/bridge.yaml",
                          setup.path() + "/irc%2F1.yaml");
  setup.write("conf.yaml",
              "homeserver: {name: a, url: 'http://h'}\n"
              "appservices: {registrations: '*1.yaml'}\n");
  done = run({"registration", "--config", setup.path() + "/conf.yaml", "--out",
              setup.path()});
  CHECK(done.code == 1);
  CHECK(has(done.err, "is a bridge's own registration"));
  CHECK(has(setup.read("irc%2F1.yaml"), "url: http://127.0.0.1:1\n"));
}

TEST_CASE("cli: serve starts only with a setup that is right") {
  const test_setup setup;
  int served = 0;
  command_line_parts parts;
  parts.serve = [&](const loaded_setup& given) {
    ++served;
    CHECK(given.registrations.size() == 1);
    return 7;
  };
  CHECK(run({"serve", "--config", setup.path() + "/conf.yaml"}, parts).code
        == 7);
  setup.write("bridge.yaml", setup.read("bridge.yaml"), 0644);
  const auto warned
    = run({"serve", "--config", setup.path() + "/conf.yaml"}, parts);
  CHECK(warned.code == 7);
  CHECK(warned.err.empty()); // The service puts it into its log.
  setup.write("conf.yaml", "listen: x\n");
  const auto refused
    = run({"serve", "--config", setup.path() + "/conf.yaml"}, parts);
  CHECK(refused.code == 1);
  CHECK(has(refused.err, "homeserver.name"));
  CHECK(served == 2);
}

TEST_CASE("cli: a wrong command line is told from a failure") {
  CHECK(run({}).code == 2);
  CHECK(run({"serv"}).code == 2);
  CHECK(
    has(run({"serv"}).err, "weir has no command serv, did you mean serve?"));
  CHECK(has(run({"dead-letters", "lits"}).err,
            "dead-letters has no command lits, did you mean list?"));
  CHECK_FALSE(has(run({"--frob"}).err, "no command"));
  CHECK_FALSE(has(run({"registration"}).err, "no command"));
  CHECK(run({"registration"}).code == 2);
  CHECK(run({"dead-letters"}).code == 2);
  CHECK(run({"dead-letters", "show", "x"}).code == 2);
  CHECK(run({"dead-letters", "list", "--limit", "0"}).code == 2);
  CHECK(run({"--help"}).code == 0);
  CHECK(run({"version"}).out == "weir 0.1.0\n");
  CHECK(run({"config-docs"}).out == config_reference());
}

TEST_CASE("cli: the version is that of the build") {
  std::ifstream in{test::source_dir() + "/CMakeLists.txt"};
  std::ostringstream text;
  text << in.rdbuf();
  CHECK(has(text.str(), "project(weir VERSION " + std::string{version} + " "));
}

TEST_CASE("cli: admin commands take the token file and the admin address") {
  const test_setup setup;
  fake_admin admin;
  admin.answer = admin_answer{200, R"({"appservices":[]})"};
  std::string token;
  command_line_parts parts;
  parts.connect_admin = [&](const config& settings, const std::string& given) {
    CHECK(settings.admin.listen == "127.0.0.1:8010");
    token = given;
    return admin.call();
  };
  const auto conf = setup.path() + "/conf.yaml";
  const auto refused = run({"status", "--config", conf}, parts);
  CHECK(refused.code == 1);
  CHECK(refused.err
        == "weir was never started with " + conf + ": there is no admin token, "
          + setup.path()
          + "/admin.token; it makes one at its first start: weir serve "
            "--config "
          + conf + "\n");
  setup.write("admin.token", "secret\n");
  CHECK(run({"status", "--config", conf}, parts).out == "no appservices\n");
  CHECK(token == "secret");
  CHECK(run({"status"}, {}).code == 1);
}

TEST_CASE("cli: a problem elsewhere in the file does not stop admin commands") {
  const test_setup setup;
  fake_admin admin;
  command_line_parts parts;
  parts.connect_admin
    = [&](const config&, const std::string&) { return admin.call(); };
  setup.write("admin.token", "secret\n");
  setup.write("conf.yaml", setup.read("conf.yaml") + "log: {level: loud}\n");
  const auto conf = setup.path() + "/conf.yaml";
  CHECK(run({"status", "--config", conf}, parts).code == 0);
  setup.write("conf.yaml", setup.read("conf.yaml") + "admin: {listen: x}\n");
  CHECK(run({"status", "--config", conf}, parts).code == 1);
}

TEST_CASE("cli: dead letter commands ask for what their options say") {
  const test_setup setup;
  fake_admin admin;
  command_line_parts parts;
  parts.connect_admin
    = [&](const config&, const std::string&) { return admin.call(); };
  setup.write("admin.token", "secret\n");
  const auto conf = setup.path() + "/conf.yaml";
  CHECK(run({"dead-letters", "list", "--config", conf, "--appservice", "a/b",
             "--after", "7", "--limit", "9"},
            parts)
          .code
        == 0);
  CHECK(run({"dead-letters", "show", "12", "--config", conf}, parts).code == 0);
  CHECK(admin.asked
        == std::vector<std::string>{
          "GET /_weir/admin/v1/dead-letters?after=7&limit=9&appservice=a%2Fb",
          "GET /_weir/admin/v1/dead-letters/12"});
}

TEST_CASE("cli: status lines up what the admin API says") {
  fake_admin admin;
  admin.answer = admin_answer{200, R"({"as_of_ms":100000,"appservices":[
    {"id":"telegram","state":"paused","cause":"refused","since_ms":1,
     "next_at_ms":105000,"depth_events":3,"depth_other":2,"bytes":10,
     "oldest_age_ms":61000,"attempts":4,"last_error":"503 \u001b[31m",
     "last_error_at_ms":98000,"pinned_txn":"x","dead_letters":1},
    {"id":"irc","state":"idle","cause":null,"next_at_ms":0,
     "last_error":null}, 5]})"};
  std::ostringstream out, err;
  CHECK(status_command(admin.call(), false, out, err) == 0);
  CHECK(out.str()
        == "APPSERVICE  STATE             FOR     DEPTH  OLDEST  ATTEMPTS  "
           "DEAD LETTERS  NEXT   LAST ERROR\n"
           "telegram    paused (refused)  1m 39s  5      1m 1s   4         "
           "1             in 5s  503 ?[31m (2s ago)\n"
           "irc         idle              -       0      -       0         "
           "0             -      -\n");
  CHECK(admin.asked == std::vector<std::string>{"GET /_weir/admin/v1/status"});
}

TEST_CASE("cli: with json the answer is printed as it came") {
  fake_admin admin;
  admin.answer = admin_answer{200, "{\"appservices\" : []}"};
  std::ostringstream out, err;
  CHECK(status_command(admin.call(), true, out, err) == 0);
  CHECK(out.str() == "{\"appservices\" : []}\n");
}

TEST_CASE("cli: dead letters are listed by the page") {
  fake_admin admin;
  admin.answer = admin_answer{200, R"({"dead_letters":[{"id":7,
    "appservice":"irc","event_id":"$e","lane":"event","bytes":1500,
    "reason":"400 bad","attempts":3,"buried_at_ms":1764462000000}],
    "next":7})"};
  std::ostringstream out, err;
  CHECK(list_dead_letters_command(admin.call(), {}, false, out, err) == 0);
  CHECK(out.str()
        == "ID  APPSERVICE  BURIED                   EVENT  LANE   BYTES   "
           "ATTEMPTS  REASON\n"
           "7   irc         2025-11-30 00:20:00 UTC  $e     event  1.5 kB  "
           "3         400 bad\n"
           "more: --after 7\n");
}

TEST_CASE("cli: a dead letter is shown with its content") {
  fake_admin admin;
  admin.answer = admin_answer{200, R"({"id":7,"appservice":"irc",
    "event_id":"$e","content":"{\"n\":1e10}"})"};
  std::ostringstream out, err;
  CHECK(show_dead_letter_command(admin.call(), 7, false, out, err) == 0);
  CHECK(has(out.str(), "\n\n{\"n\":1e10}\n"));
}

TEST_CASE("cli: whatever the admin API answers is told in one line") {
  const auto told = [](expected<admin_answer> answer) {
    fake_admin admin;
    admin.answer = std::move(answer);
    std::ostringstream out, err;
    CHECK(status_command(admin.call(), false, out, err) == 1);
    CHECK(out.str().empty());
    return err.str();
  };
  CHECK(told(fail(ec::unavailable, "127.0.0.1:8010: refused"))
        == "weir does not answer, is it running? 127.0.0.1:8010: refused\n");
  CHECK(told(admin_answer{403, R"({"error":"bad token"})"})
        == "weir refuses the token in admin.token_file: bad token\n");
  CHECK(told(admin_answer{404, R"({"error":"no such letter"})"})
        == "not found: no such letter\n");
  CHECK(told(admin_answer{503, R"({"error":"later"})"})
        == "weir answered 503: later\n");
  CHECK(told(admin_answer{200, "<html>"})
        == "weir answered 200: no answer of its admin API\n");
  CHECK(told(admin_answer{200, ""}).size() > 0);
}

TEST_CASE("cli: spans and bytes are shown in units a person reads") {
  CHECK(show_span(0) == "-");
  CHECK(show_span(-5) == "-");
  CHECK(show_span(900) == "900ms");
  CHECK(show_span(1'000) == "1s");
  CHECK(show_span(125'999) == "2m 5s");
  CHECK(show_span(3'600'000) == "1h");
  CHECK(show_span(273'600'000) == "3d 4h");
  CHECK(show_bytes(999) == "999");
  CHECK(show_bytes(4'000) == "4.0 kB");
  CHECK(show_bytes(1'500'000) == "1.5 MB");
  CHECK(printable("aäöb", 3) == "aäö…");
  CHECK(printable("a\nb", 9) == "a?b");
}
