#include "http/cli/admin_commands.hpp"

#include "tests/unit/http/fake_admin.hpp"

#include <doctest/doctest.h>

#include <sstream>

using namespace weir;
using namespace weir::test;

TEST_CASE("cli: reload tells what changed, and what waits") {
  fake_admin admin;
  admin.answer
    = admin_answer{200, R"({"added":["slack"],"changed":[],"removed":["irc"],
             "need_restart":["listen"],"warnings":[
             {"file":"a.yaml","line":2,"key":"","what":"names nothing"}]})"};
  std::ostringstream out, err;
  CHECK(reload_command(admin.call(), false, out, err) == 0);
  CHECK(admin.asked == std::vector<std::string>{"POST /_weir/admin/v1/reload"});
  CHECK(out.str()
        == "reloaded\nadded    slack\nremoved  irc\nchanged, but waits for a "
           "restart: listen\n");
  CHECK(err.str() == "warning: a.yaml:2: names nothing\n");
}

TEST_CASE("cli: a refused reload prints every problem and fails") {
  fake_admin admin;
  admin.answer = admin_answer{400,
                              R"({"errcode":"ORG.WEIR.BAD_CONFIGURATION",
             "error":"Nothing was changed","problems":[
             {"file":"a.yaml","line":3,"key":"id","what":"expected an id"},
             {"file":"b.yaml","line":0,"key":"","what":"expected YAML"}]})"};
  std::ostringstream out, err;
  CHECK(reload_command(admin.call(), false, out, err) == 1);
  CHECK(err.str()
        == "a.yaml:3: id: expected an id\nb.yaml: expected YAML\n"
           "not reloaded: nothing was changed and weir goes on as before; "
           "correct these problems and run weir reload again\n");
}

TEST_CASE("cli: a reload that was not understood is told as it was answered") {
  fake_admin admin;
  admin.answer = admin_answer{403, R"({"error":"A viewer may only read"})"};
  std::ostringstream out, err;
  CHECK(reload_command(admin.call(), false, out, err) == 1);
  CHECK(has(err.str(), "A viewer may only read"));
}

TEST_CASE("cli: status shows who is not configured any more as removed") {
  fake_admin admin;
  admin.answer = admin_answer{200, R"({"as_of_ms":1,"appservices":[
             {"id":"irc","state":"flowing","configured":false}]})"};
  std::ostringstream out, err;
  CHECK(status_command(admin.call(), false, out, err) == 0);
  CHECK(has(out.str(), "removed"));
  CHECK_FALSE(has(out.str(), "flowing"));
}

TEST_CASE("cli: status shows what stands still whatever its state says") {
  fake_admin admin;
  admin.answer = admin_answer{200, R"({"as_of_ms":100000,"appservices":[
             {"id":"irc","state":"flowing","has_url":false,"since_ms":1},
             {"id":"old","state":"resting","since_ms":1,"configured":false,
              "removed_at_ms":39000},
             {"id":"slow","state":"flowing","since_ms":1,
              "sending_since_ms":90000},
             {"id":"held","state":"resting","cause":"http_503","full":true,
              "since_ms":95000}]})"};
  std::ostringstream out, err;
  CHECK(status_command(admin.call(), false, out, err) == 0);
  CHECK(has(out.str(), "\nirc         no url                    -  "));
  CHECK(has(out.str(), "\nold         removed                   1m 1s "));
  CHECK(has(out.str(), "\nslow        sending                   10s "));
  CHECK(has(out.str(), "\nheld        resting (http_503), full  5s "));
}

TEST_CASE("cli: health asks without a token and says a word") {
  fake_admin admin;
  admin.answer = admin_answer{200, R"({"status":"ready"})"};
  std::ostringstream out, err;
  CHECK(health_command(admin.call(), true, out, err) == 0);
  CHECK(health_command(admin.call(), false, out, err) == 0);
  CHECK(admin.asked == std::vector<std::string>{"GET /ready", "GET /health"});
  CHECK(out.str() == "ready\nready\n");
}

TEST_CASE("cli: health fails when the store is away, and when nobody answers") {
  fake_admin admin;
  std::ostringstream out, err;
  admin.answer
    = admin_answer{503, R"({"errcode":"ORG.WEIR.NOT_READY","error":"away"})"};
  CHECK(health_command(admin.call(), true, out, err) == 1);
  CHECK(has(err.str(), "away"));
  admin.answer = fail(ec::unavailable, "refused");
  CHECK(health_command(admin.call(), false, out, err) == 1);
  CHECK(has(err.str(), "is it running? refused"));
}
