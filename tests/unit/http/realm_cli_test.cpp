#include "http/cli/realm_commands.hpp"
#include "tests/unit/http/fake_admin.hpp"

#include <doctest/doctest.h>

#include <sstream>

using namespace weir;
using namespace weir::test;

namespace {

const std::string realm = "https://r.example/team/";
const std::string path
  = "/_weir/admin/v1/realms/https%3A%2F%2Fr.example%2Fteam%2F";

} // namespace

TEST_CASE("realm CLI: a row a realm, and where the next page begins") {
  fake_admin admin;
  admin.answer
    = admin_answer{200, R"({"realms":[{"realm":"https://r/","queued_events":12,
    "queued_bytes":2048,"oldest_queued_age_ms":61000,"unsettled_sends":40,
    "audience":31,"dead_letters":2,"halted":true}],"next":7})"};
  std::ostringstream out;
  std::ostringstream err;
  CHECK(realms_command(admin.call(), 3, 1, false, out, err) == exit_ok);
  CHECK(admin.asked.at(0) == "GET /_weir/admin/v1/realms?after=3&limit=1");
  for (const std::string part :
       {"https://r/", "paused", "12", "1m 1s", "40", "31", "more: --after 7"})
    CHECK(has(out.str(), part));
  std::ostringstream raw;
  CHECK(realms_command(admin.call(), 0, 1, true, raw, err) == exit_ok);
  CHECK(has(raw.str(), R"("next":7)"));
  admin.answer = admin_answer{200, R"({"realms":[],"next":null})"};
  std::ostringstream none;
  CHECK(realms_command(admin.call(), 0, 1, false, none, err) == exit_ok);
  CHECK(none.str() == "no realms\n");
}

TEST_CASE("realm CLI: an explanation says why, and what is queued") {
  fake_admin admin;
  admin.answer
    = admin_answer{200, R"({"realm":"https://r/","why":"An operator paused it.",
    "queued_events":12,"queued_bytes":10,"limited_by":"rate",
    "dead_letters":1})"};
  std::ostringstream out;
  std::ostringstream err;
  CHECK(explain_realm_command(admin.call(), realm, false, out, err) == exit_ok);
  CHECK(admin.asked.at(0) == "GET " + path);
  for (const std::string part :
       {"An operator paused it.", "12 events", "rate", "1 dead"})
    CHECK(has(out.str(), part));
  admin.answer
    = admin_answer{404, R"({"errcode":"M_NOT_FOUND","error":"No such realm"})"};
  CHECK(explain_realm_command(admin.call(), realm, false, out, err)
        == exit_failed);
  CHECK(has(err.str(), "No such realm"));
}

TEST_CASE("realm CLI: orders name who gave them") {
  fake_admin admin;
  admin.answer = admin_answer{200, R"({"halted":true})"};
  std::ostringstream out;
  std::ostringstream err;
  CHECK(realm_order_command(admin.call(), {realm, "pause", "", "ada", "a b"},
                            false, out, err)
        == exit_ok);
  CHECK(admin.asked.at(0) == "POST " + path + "/pause?by=ada&reason=a%20b");
  CHECK(has(out.str(), "paused: https://r.example/team/"));
  admin.answer = admin_answer{200, "{}"};
  CHECK(realm_order_command(admin.call(), {realm, "redeliver", "we_1", "a", ""},
                            false, out, err)
        == exit_ok);
  CHECK(admin.asked.at(1)
        == "POST " + path + "/events/we_1/redeliver?by=a&reason=");
}

TEST_CASE("realm CLI: events with dead letters are listed") {
  fake_admin admin;
  admin.answer = admin_answer{
    200, R"({"events":[{"event_id":"we_1","type":"app.x","targets":3,
    "delivered":2,"failed":1,"accepted_at_ms":1767225600000}],"next":null})"};
  std::ostringstream out;
  std::ostringstream err;
  CHECK(realm_letters_command(admin.call(), realm, 0, 10, false, out, err)
        == exit_ok);
  CHECK(admin.asked.at(0) == "GET " + path + "/dead-letters?after=0&limit=10");
  for (const std::string part : {"we_1", "app.x", "2026-01-01"})
    CHECK(has(out.str(), part));
}
