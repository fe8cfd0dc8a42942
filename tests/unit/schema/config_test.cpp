#include "schema/trace_names.hpp"
#include "tests/support/config_samples.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/test_folder.hpp"

using namespace weir;
using namespace weir::config_samples;
using namespace std::chrono_literals;

TEST_CASE("config: a minimal file leaves every default as the struct has it") {
  const auto loaded = parse(minimal);
  CHECK(problems_of(loaded) == lines{});
  config expected;
  expected.homeserver.name = "example.org";
  expected.homeserver.url = "http://127.0.0.1:8008";
  expected.homeserver.user_id = "@weir:example.org";
  expected.public_url = "http://127.0.0.1:8009";
  expected.storage.data_dir = "/var/lib/weir";
  expected.admin.token_file = "/var/lib/weir/admin.token";
  expected.trace.file = "/var/lib/weir/trace.jsonl";
  CHECK(loaded.settings == expected);
}

namespace {

/// Every key, none with its default.
const std::string full = R"(
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
trace: {file: t.jsonl, actors: [directory, "appservice/*"], max_bytes: 2MiB,
        rotate: 0, with_content: true}
)";

} // namespace

TEST_CASE("config: every key that others rely on is read") {
  const auto loaded = parse(full);
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
  CHECK(settings.trace.file == "/etc/weir/t.jsonl");
  CHECK(settings.trace.from_start);
  CHECK(settings.trace.actors == lines{"directory", "appservice/*"});
  CHECK(settings.trace.max_bytes == 2u << 20);
  CHECK(settings.trace.rotate == 0);
  CHECK(settings.trace.with_content);
  CHECK(settings.listener.body_bytes_max == 1048576);
  CHECK(settings.listener.in_flight_bytes == 2097152);
  CHECK(settings.listener.connections_max == 100);
}

TEST_CASE("config: every key of lanes and actors is read") {
  const auto settings = parse(full).settings;
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

TEST_CASE("config: a queue has bounds, and says what happens there") {
  const auto read
    = parse(minimal
            + "appservices:\n  overrides:\n    irc: {queue_overflow: "
              "dead_letter_oldest, queue_age_max: 7d}\n    slack: "
              "{queue_age_max: 0s}\n");
  CHECK(read.problems.empty());
  const auto& irc = options_of(read.settings, "irc");
  CHECK(irc.queue_overflow == overflow_policy::dead_letter_oldest);
  CHECK(irc.queue_age_max == 168h);
  const auto& slack = options_of(read.settings, "slack");
  CHECK(slack.queue_overflow == overflow_policy::hold);
  CHECK(slack.queue_age_max == 0s);
  CHECK(
    problems_with("appservices: {defaults: {queue_overflow: drop}}\n").size()
    == 1);
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
  CHECK(problems_among("producers: [{name: a, token: b, realms: [c], "
                       "nme: 1}]\n")
        == lines{"f:2: producers[0].nme: expected a known key, did you mean "
                 "name"});
}

TEST_CASE("config: a misspelt section is a problem that names the section") {
  const auto told = [](const std::string& wrong, const std::string& right) {
    return lines{"f:2: " + wrong + ": expected a known key, did you mean "
                 + right};
  };
  CHECK(problems_with("storrage: {data_dir: /srv}\n")
        == told("storrage", "storage"));
  CHECK(problems_with("appservises: {registrations: a.yaml}\n")
        == told("appservises", "appservices"));
  CHECK(problems_with("drian: {timeout: 1s}\n") == told("drian", "drain"));
  CHECK(problems_with("lisener: {connections_max: 1}\n")
        == told("lisener", "listener"));
  CHECK(problems_with("appservices: {default: {poison: block}}\n")
        == told("appservices.default", "appservices.defaults"));
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
  CHECK(problems_among("producers: [x]\n").size() == 4);
  CHECK(problems_of(parse("- a\n")).size() == 3);
  CHECK(problems_of(parse("")).size() == 2);
}

TEST_CASE("config: what must hold between keys is checked") {
  CHECK(problems_of(parse("log: {level: info}\n"))
        == lines{"f: homeserver.name: expected this key, it is required",
                 "f: homeserver.url: expected this key, it is required"});
  CHECK(problems_with("admin: {listen: 127.0.0.1:8009}\n")
        == lines{"f:2: admin.listen: expected another address than listen"});
  CHECK(problems_with("listen: 0.0.0.0:8009\n")
        == lines{"f: public_url: expected this key, since listen names no "
                 "address that a homeserver can reach"});
  CHECK(problems_with("listen: '[::]:8009'\npublic_url: http://h\n")
        == lines{});
  CHECK(problems_with("storage: {writers: 2}\n")
        == lines{"f:2: storage.writers: expected 1 with SQLite, more needs "
                 "PostgreSQL"});
  CHECK(problems_with("storage: {url: 'sqlite:///d/weir.db'}\n"
                      "trace: {file: /d/weir.db}\n")
        == lines{"f:3: trace.file: expected another file than that of "
                 "storage.url"});
  CHECK(problems_with("listener: {in_flight_bytes: 1MiB}\n")
        == lines{"f:2: listener.in_flight_bytes: expected at least "
                 "listener.body_bytes_max, which is 64MiB"});
  CHECK(problems_with("appservices:\n  overrides:\n    a.b:\n      "
                      "backoff_max: 500ms\n")
        == lines{"f:5: appservices.overrides.a.b.backoff_max: expected at "
                 "least backoff_first, which is 1s"});
  CHECK(problems_among("producers: [{}]\n").size() == 3);
  CHECK(problems_among("producers:\n- {name: a, token: b, realms: [c]}\n- "
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

TEST_CASE("config: every key of realms and of their sender is read") {
  const auto settings
    = parse(minimal
            + "realms: {ordered: ['https://a/*', b], audience_wait: 2s, "
              "queued_bytes_max: 1MiB, queued_bytes_max_all: 2MiB}\n")
        .settings;
  CHECK(settings.realms.ordered == lines{"https://a/*", "b"});
  CHECK(settings.realms.audience_wait == 2s);
  CHECK(settings.realms.queued_bytes_max == 1048576);
  CHECK(settings.realms.queued_bytes_max_all == 2097152);
  CHECK(settings.homeserver.user_id == "@weir:example.org");
  CHECK(settings.homeserver.device_id == "WEIR");
  const auto sender
    = parse("homeserver: {name: example.org, url: 'http://h', user_id: "
            "'@bot:example.org', device_id: D-1, password: secret}\n");
  CHECK(problems_of(sender) == lines{});
  CHECK(sender.settings.homeserver.user_id == "@bot:example.org");
  CHECK(sender.settings.homeserver.device_id == "D-1");
  CHECK(sender.settings.homeserver.password == "secret");
}

TEST_CASE("config: a sender is a user in a device, with one secret") {
  const auto with = [](const std::string& keys) {
    return problems_of(parse("homeserver: {name: example.org, url: 'http://h', "
                             + keys + "}\n"));
  };
  const lines no_user{"f:1: homeserver.user_id: expected a user id such as "
                      "@weir:example.org"};
  CHECK(with("user_id: weir") == no_user);
  CHECK(with("user_id: '@:example.org'") == no_user);
  CHECK(with("user_id: '@weir'") == no_user);
  CHECK(with("device_id: 'a b'").size() == 1);
  CHECK(with("password: p, password_file: /none").size() == 2);
  CHECK(problems_with("realms: {ordered: x}\n")
        == lines{"f:2: realms.ordered: expected a list of realm ids"});
  CHECK(problems_with("realms: {queued_bytes_max_all: 1MiB}\n")
        == lines{"f:2: realms.queued_bytes_max_all: expected at least "
                 "realms.queued_bytes_max, which is 64MiB"});
}

TEST_CASE("config: producers need a sender of what they hand in") {
  const std::string producers
    = "producers: [{name: a, token: b, realms: ['*']}]\n";
  CHECK(problems_with(producers)
        == lines{"f:2: producers: expected homeserver.as_token or "
                 "homeserver.password too, without which nothing is sent for "
                 "realms"});
  for (const std::string secret : {"as_token: t", "password: p"})
    CHECK(parse("homeserver: {name: e.org, url: 'http://h', " + secret + "}\n"
                + producers)
            .problems.empty());
}

TEST_CASE("config: the example that is handed out is right") {
  const auto loaded
    = load_config(test::source_dir() + "/docs/examples/weir.yaml");
  CHECK(problems_of(loaded) == lines{});
  CHECK(loaded.settings.homeserver.name == "example.org");
}

TEST_CASE("config: docs/configuration.md holds the generated tables") {
  std::ifstream in{test::source_dir() + "/docs/configuration.md"};
  std::ostringstream page;
  page << in.rdbuf();
  CHECK(page.str().find(config_reference()) != std::string::npos);
}

TEST_CASE("config: a trace is of all actors or of those in a list") {
  CHECK(problems_with("trace: {actors: all}\n") == lines{});
  CHECK(parse(minimal + "trace: {actors: all}\n").settings.trace.from_start
        == false);
  CHECK(problems_with("trace: {actors: directory}\n")
        == lines{"f:2: trace.actors: expected all, or a list of names such as "
                 "appservice/telegram"});
  CHECK(problems_with("trace: {actors: []}\n").size() == 1);
  CHECK(problems_with("trace: {max_bytes: 1kB}\n").size() == 1);
}

TEST_CASE("config: an override is not blamed for what it does not say") {
  CHECK(problems_with("appservices:\n"
                      "  defaults: {backoff_first: 30s, backoff_max: 10s}\n"
                      "  overrides: {a: {}, b: {backoff_max: 20s}}\n")
        == lines{"f:3: appservices.defaults.backoff_max: expected at least "
                 "backoff_first, which is 30s",
                 "f:4: appservices.overrides.b.backoff_max: expected at least "
                 "backoff_first, which is 30s"});
}

TEST_CASE("config: what is hardly meant is warned of") {
  const auto warnings = [](const std::string& more) {
    return as_lines(parse(minimal + more).warnings);
  };
  const std::string tls = "{certificate_file: /c, key_file: /k}";
  CHECK(
    warnings("public_url: http://weir\nlistener: {tls: " + tls + "}\n").size()
    == 1);
  CHECK(warnings("public_url: https://weir\nlistener: {tls: " + tls + "}\n")
          .empty());
  CHECK(warnings("public_url: https://weir\n").empty());
  CHECK(warnings("admin: {listen: '0.0.0.0:8010'}\n").size() == 1);
  CHECK(warnings("admin: {listen: '[::1]:8010'}\n").empty());
  CHECK(
    warnings("admin: {listen: '0.0.0.0:8010', tls: " + tls + "}\n").empty());
  CHECK(warnings("trace: {actors: [nonsense, 'appservice/*', gateway]}\n")
        == lines{"/etc/weir/weir.yaml:2: trace.actors: nonsense is no actor's "
                 "name: nothing of it "
                 "is recorded; there are appservice/*, directory, gateway, "
                 "homeserver_pinger, homeserver_session, janitor, pacer, "
                 "realm/*, realm_directory, realm_gateway, store_reader, "
                 "store_writer/*, supervisor, transport"});
}

TEST_CASE("config: which names an actor may have in a trace is known") {
  for (const auto* name :
       {"gateway", "gateway#2", "gate*", "*", "appservice/irc", "appservice/*",
        "app*", "appservice/i*", "store_writer/1", "store_*", "supervisor"}) {
    CAPTURE(name);
    CHECK(may_name_actor(name));
  }
  for (const auto* name : {"nonsense", "", "appservice/", "appservice",
                           "gateways", "gateway/*", "no*", "appservices/*"}) {
    CAPTURE(name);
    CHECK_FALSE(may_name_actor(name));
  }
}
