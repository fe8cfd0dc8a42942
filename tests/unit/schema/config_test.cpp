#include "schema/config.hpp"
#include "schema/config_files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>

using namespace weir;
using namespace std::chrono_literals;

template <>
struct doctest::StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string>& all) {
    std::string text;
    for (const auto& one : all)
      text.append("\n  ").append(one);
    return text.c_str();
  }
};

namespace {

const std::string minimal = "homeserver: {name: example.org, "
                            "url: 'http://127.0.0.1:8008'}\n";

loaded_config parse(const std::string& text) {
  return parse_config("/etc/weir/weir.yaml", text);
}

/// All problems as lines, without the file's name.
std::vector<std::string> problems_of(const loaded_config& loaded) {
  std::vector<std::string> lines;
  for (auto problem : loaded.problems) {
    problem.file = "f";
    lines.push_back(to_string(problem));
  }
  return lines;
}

/// The problems of a text that is right but for `extra`.
std::vector<std::string> problems_with(const std::string& extra) {
  return problems_of(parse(minimal + extra));
}

using lines = std::vector<std::string>;

/// A folder of one test, gone with it.
class test_folder {
public:
  test_folder() {
    auto name
      = std::filesystem::temp_directory_path().string() + "/weir-config-XXXXXX";
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~test_folder() {
    std::filesystem::remove_all(path_);
  }
  test_folder(const test_folder&) = delete;
  test_folder& operator=(const test_folder&) = delete;

  std::string write(const std::string& name, const std::string& text,
                    mode_t mode = 0600) const {
    const auto path = path_ + "/" + name;
    std::ofstream{path} << text;
    chmod(path.c_str(), mode);
    return path;
  }
  [[nodiscard]] const std::string& path() const {
    return path_;
  }

private:
  std::string path_;
};

std::string read_whole(const std::string& path) {
  std::ifstream in{path};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

} // namespace

TEST_CASE("config: a minimal file leaves every default as the struct has it") {
  const auto loaded = parse(minimal);
  CHECK(problems_of(loaded) == lines{});
  config expected;
  expected.homeserver.name = "example.org";
  expected.homeserver.url = "http://127.0.0.1:8008";
  expected.public_url = "http://127.0.0.1:8009";
  expected.storage.data_dir = "/var/lib/weir";
  expected.admin.token_file = "/var/lib/weir/admin.token";
  CHECK(loaded.settings == expected);
}

TEST_CASE("config: every key that others rely on is read") {
  const auto loaded = parse(R"(
listen: "[::1]:9009"
admin: {listen: 0.0.0.0:9010, token_file: a.token, viewer_token_file: /v.token}
public_url: https://Weir.example.org:443/base//
homeserver:
  name: example.org:8448
  url: unix:///run/hs.sock
  as_token: "123"
  pace: {sends_per_second: 10, in_flight: 2}
storage: {url: "postgresql://u:p@db:5432/weir", data_dir: /srv, writers: 4}
listener: {body_bytes_max: 1MiB, in_flight_bytes: 2MiB, connections_max: 100}
appservices:
  registrations: ["b/*.yaml", /a/*.yaml]
  overrides: {telegram: {request_timeout: 5m, poison: block}}
  defaults:
    request_timeout: 90s
    connect_timeout: 1s
    query_timeout: 500s
producers: [{name: realm-server, token: t, realms: ["*", a]}]
delayed_events: {max_delay: 12h, max_scheduled: 0}
actors: {threads: 3, readers: 4, timer_horizon: 30s, idle_after: 500ms,
         max_live: 100, max_throughput: 7}
drain: {timeout: 1m}
log: {level: debug}
)");
  CHECK(
    problems_of(loaded)
    == lines{"f:18: appservices.defaults.query_timeout: expected a duration "
             "from 1s to 55s with its unit"});
  const auto& settings = loaded.settings;
  CHECK(settings.listen == "[::1]:9009");
  CHECK(settings.admin.listen == "0.0.0.0:9010");
  CHECK(settings.admin.token_file == "/etc/weir/a.token");
  CHECK(settings.admin.viewer_token_file == "/v.token");
  CHECK(settings.public_url == "https://Weir.example.org:443/base");
  CHECK(settings.homeserver.name == "example.org:8448");
  CHECK(settings.homeserver.url == "unix:/run/hs.sock");
  CHECK(settings.homeserver.as_token == "123");
  CHECK(settings.homeserver.pace.sends_per_second == 10);
  CHECK(settings.homeserver.pace.in_flight == 2);
  CHECK(settings.storage.data_dir == "/srv");
  CHECK(settings.storage.writers == 4);
  CHECK(settings.listener.body_bytes_max == 1048576);
  CHECK(settings.listener.in_flight_bytes == 2097152);
  CHECK(settings.listener.connections_max == 100);
  CHECK(settings.appservices.registrations
        == lines{"/a/*.yaml", "/etc/weir/b/*.yaml"});
  CHECK(settings.appservices.defaults.request_timeout == 90s);
  const auto& telegram = options_of(settings, "telegram");
  CHECK(telegram.request_timeout == 5min);
  CHECK(telegram.connect_timeout == 1s);
  CHECK(telegram.poison == poison_policy::block);
  CHECK(&options_of(settings, "irc") == &settings.appservices.defaults);
  CHECK(settings.producers
        == std::vector<producer_options>{{"realm-server", "t", {"*", "a"}}});
  CHECK(settings.delayed_events.max_delay == 12h);
  CHECK(settings.delayed_events.max_scheduled == 0);
  CHECK(settings.actors.threads == 3);
  CHECK(settings.actors.readers == 4);
  CHECK(settings.actors.timer_horizon == 30s);
  CHECK(settings.actors.idle_after == 500ms);
  CHECK(settings.actors.max_live == 100);
  CHECK(settings.actors.max_throughput == 7);
  CHECK(settings.drain.timeout == 1min);
  CHECK(settings.log.level == log_level::debug);
}

TEST_CASE("config: an unknown key is a problem that names the nearest one") {
  CHECK(problems_with("listne: x\n")
        == lines{"f:2: listne: expected a known key, did you mean listen"});
  CHECK(problems_with("threads: 2\n")
        == lines{
          "f:2: threads: expected a known key, did you mean actors.threads"});
  CHECK(problems_with("admin: {tokn_file: x}\n")
        == lines{"f:2: admin.tokn_file: expected a known key, did you mean "
                 "admin.token_file"});
  CHECK(problems_with("weather: fine\n")
        == lines{"f:2: weather: expected a known key"});
  CHECK(problems_with("appservices: {overrides: {a: {poisson: block}}}\n")
        == lines{"f:2: appservices.overrides.a.poisson: expected a known key, "
                 "did you mean poison"});
  CHECK(problems_with("producers: [{name: a, token: b, realms: [c], nme: 1}]\n")
        == lines{"f:2: producers[0].nme: expected a known key, did you mean "
                 "name"});
}

TEST_CASE("config: wrong types are problems") {
  CHECK(problems_with("actors: {threads: two}\n")
        == lines{"f:2: actors.threads: expected a whole number from 1 to 256"});
  CHECK(problems_with("actors: {threads: '2'}\n").size() == 1);
  CHECK(problems_with("actors: {threads: [2]}\n").size() == 1);
  CHECK(problems_with("actors: {threads: 2.0}\n").size() == 1);
  CHECK(problems_with("actors: {threads: -1}\n").size() == 1);
  CHECK(problems_with("actors: {threads: }\n").size() == 1);
  CHECK(problems_with("actors: 2\n")
        == lines{"f:2: actors: expected a section of keys"});
  CHECK(problems_with("actors:\n") == lines{});
  CHECK(problems_with("appservices: {defaults: {legacy_paths: yes}}\n")
        == lines{"f:2: appservices.defaults.legacy_paths: expected true or "
                 "false"});
  CHECK(problems_with("log: {level: loud}\n")
        == lines{"f:2: log.level: expected one of debug, info, warn, error"});
  CHECK(problems_with("listen: {}\n")
        == lines{"f:2: listen: expected a string: address"});
  CHECK(problems_with("producers: {}\n")
        == lines{"f:2: producers: expected a list of producers"});
  CHECK(problems_with("producers: [x]\n").size() == 4);
  CHECK(problems_of(parse("- a\n")).size() == 3);
  CHECK(problems_of(parse("")).size() == 2);
}

TEST_CASE("config: durations and sizes have bounds, units and no rest") {
  const auto drain = [](const std::string& text) {
    return problems_with("drain: {timeout: " + text + "}\n").empty();
  };
  CHECK(drain("0s"));
  CHECK(drain("600s"));
  CHECK(drain("10m"));
  CHECK(drain("'20s'"));
  CHECK_FALSE(drain("601s"));
  CHECK_FALSE(drain("20"));
  CHECK_FALSE(drain("1.5s"));
  CHECK_FALSE(drain("-1s"));
  CHECK_FALSE(drain("1s2"));
  CHECK_FALSE(drain("99999999999999999999d"));
  CHECK_FALSE(drain("9223372036854775807d"));
  const auto body = [](const std::string& text) {
    return problems_with("listener: {body_bytes_max: " + text + "}\n").empty();
  };
  CHECK(body("1048576"));
  CHECK(body("64MiB"));
  CHECK(body("2MB"));
  CHECK(body("512MiB"));
  CHECK_FALSE(body("1048575"));
  CHECK_FALSE(body("513MiB"));
  CHECK_FALSE(body("64 MiB"));
  CHECK_FALSE(body("64M"));
}

TEST_CASE("config: addresses, names and URLs are checked") {
  const auto listen = [](const std::string& text) {
    return problems_with("listen: '" + text + "'\n").empty();
  };
  CHECK(listen("0.0.0.0:1"));
  CHECK(listen("[::]:0"));
  CHECK_FALSE(listen("localhost:8009"));
  CHECK_FALSE(listen("127.0.0.1"));
  CHECK_FALSE(listen("127.0.0.1:65536"));
  CHECK_FALSE(listen("::1:8009"));
  CHECK_FALSE(listen("127.0.0.1:80x"));
  const auto homeserver = [](const std::string& name, const std::string& url) {
    return problems_of(
      parse("homeserver: {name: '" + name + "', url: '" + url + "'}\n"));
  };
  CHECK(homeserver("localhost:80", "http://h").empty());
  CHECK(homeserver("[::1]:80", "http://[::1]:80/x").empty());
  CHECK(homeserver("a b", "http://h").size() == 1);
  CHECK(homeserver("", "http://h").size() == 1);
  CHECK(homeserver("a:b", "http://h").size() == 1);
  CHECK(homeserver("a", "http://u:p@h")
        == lines{"f:1: homeserver.url: expected a URL without user name and "
                 "password"});
  CHECK(homeserver("a", "http://h?x").size() == 1);
  CHECK(homeserver("a", "http://h#x").size() == 1);
  CHECK(homeserver("a", "ftp://h").size() == 1);
  CHECK(homeserver("a", "http://").size() == 1);
  CHECK(homeserver("a", "http://h:0").size() == 1);
  CHECK(homeserver("a", "http://h:99999").size() == 1);
  CHECK(homeserver("a", "unix:x").size() == 1);
  CHECK(problems_with("public_url: unix:/x\n").size() == 1);
  const auto storage = [](const std::string& url) {
    return problems_with("storage: {url: '" + url + "'}\n").empty();
  };
  CHECK(storage("sqlite:///a/b.db"));
  CHECK(storage("postgresql:///weir?host=/run/postgresql"));
  CHECK_FALSE(storage("sqlite://b.db"));
  CHECK_FALSE(storage("sqlite:///b/"));
  CHECK_FALSE(storage("postgresql://host"));
  CHECK_FALSE(storage("mysql://h/weir"));
}

TEST_CASE("config: what must hold between keys is checked") {
  CHECK(problems_of(parse("log: {level: info}\n"))
        == lines{"f: homeserver.name: expected this key, it is required",
                 "f: homeserver.url: expected this key, it is required"});
  CHECK(problems_with("admin: {listen: 127.0.0.1:8009}\n")
        == lines{"f:2: admin.listen: expected another address than listen"});
  CHECK(problems_with("storage: {writers: 2}\n")
        == lines{"f:2: storage.writers: expected 1 with SQLite, more needs "
                 "PostgreSQL"});
  CHECK(problems_with("listener: {in_flight_bytes: 1MiB}\n")
        == lines{"f:2: listener.in_flight_bytes: expected at least "
                 "listener.body_bytes_max, which is 64MiB"});
  CHECK(problems_with("appservices:\n  overrides:\n    a.b:\n      "
                      "backoff_max: 500ms\n")
        == lines{"f:5: appservices.overrides.a.b.backoff_max: expected at "
                 "least backoff_first, which is 1s"});
  CHECK(problems_with("producers: [{}]\n").size() == 3);
  CHECK(problems_with("producers:\n- {name: a, token: b, realms: [c]}\n- "
                      "{name: a, token: b, realms: [c]}\n")
        == lines{"f:4: producers[1]: expected a token of its own",
                 "f:4: producers[1].name: expected a name of its own"});
}

TEST_CASE("config: all problems are reported at once, in the file's order") {
  const auto found = problems_with("log: {level: loud}\nactors: {threads: 0}\n"
                                   "listne: x\nlog: {level: info}\n");
  REQUIRE(found.size() == 4);
  CHECK(found[0].starts_with("f:2: log.level: "));
  CHECK(found[1].starts_with("f:3: actors.threads: "));
  CHECK(found[2].starts_with("f:4: listne: "));
  CHECK(found[3]
        == "f:5: log: expected a key only once, it stands on line 2 too");
}

TEST_CASE("config: a duplicate key deep in the file is named with its path") {
  CHECK(problems_with("actors: {threads: 1, threads: 2}\n")
        == lines{"f:2: actors.threads: expected a key only once, it stands on "
                 "line 2 too"});
}

TEST_CASE("config: text that is no YAML is one problem with its line") {
  const auto found = problems_of(parse("a: [\nb: }\n"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].starts_with("f:2: expected YAML, "));
  CHECK(problems_of(parse("a: \xff\n"))
        == lines{"f:1: expected UTF-8 text without control characters"});
  CHECK(problems_of(parse(std::string("a: b\x04\n"))).size() == 1);
}

TEST_CASE("config: a token that is a number, or given twice, is refused") {
  const auto with = [](const std::string& tokens) {
    return problems_of(
      parse("homeserver: {name: a, url: 'http://h', " + tokens + "}\n"));
  };
  CHECK(with("as_token: 1234")
        == lines{"f:1: homeserver.as_token: expected a token that is a string, "
                 "in quotes"});
  CHECK(with("as_token: 'a b'").size() == 1);
  CHECK(with("as_token: 'ä'").size() == 1);
  CHECK(with("as_token: ''").size() == 1);
  CHECK(with("as_token: '1234'") == lines{});
  const test_folder folder;
  const auto file = folder.write("t", "secret\n");
  CHECK(with("as_token: 'x', as_token_file: " + file)
        == lines{"f:1: homeserver.as_token_file: expected either "
                 "homeserver.as_token or this key"});
}

TEST_CASE("config: token files are read, trimmed and kept from others") {
  const test_folder folder;
  folder.write("good", " secret\n\n");
  folder.write("open", "secret\n", 0604);
  folder.write("empty", "\n");
  const auto with = [&](const std::string& file) {
    return parse_config(folder.path() + "/weir.yaml",
                        "homeserver: {name: a, url: 'http://h', "
                        "as_token_file: "
                          + file + "}\n");
  };
  CHECK(with("good").problems.empty());
  CHECK(with("good").settings.homeserver.as_token == "secret");
  REQUIRE(with("open").problems.size() == 1);
  CHECK(with("open").problems[0].what.find("others may read")
        != std::string::npos);
  CHECK(with("empty").problems.size() == 1);
  CHECK(with("missing").problems.size() == 1);
  CHECK(with(".").problems.size() == 1);
}

TEST_CASE("config: an admin token file may be absent but not open to others") {
  const test_folder folder;
  const auto with = [&](const std::string& file) {
    return parse_config(folder.path() + "/weir.yaml",
                        minimal + "admin: {token_file: " + file + "}\n")
      .problems.size();
  };
  CHECK(with("absent") == 0);
  folder.write("open", "secret", 0644);
  CHECK(with("open") == 1);
}

TEST_CASE("config: a file with secrets that others may read is a warning") {
  const test_folder folder;
  const auto text = minimal + "producers: [{name: a, token: b, realms: [c]}]\n";
  CHECK(load_config(folder.write("a", text, 0644)).warnings.size() == 1);
  CHECK(load_config(folder.write("b", text, 0640)).warnings.empty());
  CHECK(load_config(folder.write("c", minimal, 0644)).warnings.empty());
}

TEST_CASE("config: a file that cannot be read is a problem of the whole file") {
  const test_folder folder;
  const auto loaded = load_config(folder.path() + "/none.yaml");
  REQUIRE(loaded.problems.size() == 1);
  CHECK(loaded.problems[0].line == 0);
  CHECK(load_config(folder.path()).problems.size() == 1);
}

TEST_CASE("config: a made token file is private, and kept when it is there") {
  const test_folder folder;
  const auto path = folder.path() + "/admin.token";
  const auto made = ensure_token_file(path);
  REQUIRE(made.has_value());
  CHECK(made.value().size() == 64);
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0600);
  const auto again = ensure_token_file(path);
  REQUIRE(again.has_value());
  CHECK(again.value() == made.value());
  CHECK(std::distance(std::filesystem::directory_iterator{folder.path()},
                      std::filesystem::directory_iterator{})
        == 1);
}

TEST_CASE("config: the example that is handed out is right") {
  const auto loaded
    = load_config(std::string{WEIR_SOURCE_DIR} + "/docs/examples/weir.yaml");
  CHECK(problems_of(loaded) == lines{});
  CHECK(loaded.settings.homeserver.name == "example.org");
}

TEST_CASE("config: docs/configuration.md holds the generated tables") {
  const auto page
    = read_whole(std::string{WEIR_SOURCE_DIR} + "/docs/configuration.md");
  CHECK(page.find(config_reference()) != std::string::npos);
}
