#include "schema/setup_changes.hpp"

#include "tests/support/registration_samples.hpp"

#include <doctest/doctest.h>

using namespace weir;
using namespace weir::registration_samples;

namespace {

using ids = std::vector<std::string>;

appservice_registration registration(const std::string& id,
                                     const std::string& text = good) {
  auto loaded = parse(text);
  REQUIRE(loaded.registrations.size() == 1);
  loaded.registrations.front().id = {id};
  return loaded.registrations.front();
}

loaded_setup setup_of(const ids& names) {
  loaded_setup setup;
  setup.config_path = "weir.yaml";
  for (const auto& id : names)
    setup.registrations.push_back(registration(id));
  return setup;
}

} // namespace

TEST_CASE("setup changes: the same files change nothing") {
  const auto setup = setup_of({"irc", "telegram"});
  const auto changes = changes_between(setup, setup_of({"irc", "telegram"}));
  CHECK_FALSE(changes.any());
  CHECK(changes.need_restart.empty());
}

TEST_CASE("setup changes: who comes, who goes and who is served otherwise") {
  const auto now = setup_of({"irc", "slack", "telegram"});
  auto then = setup_of({"discord", "irc", "telegram"});
  then.registrations[1]
    = registration("irc", changed("hs_token", "hs_token: another"));
  then.settings.appservices.overrides["telegram"].legacy_paths = true;
  const auto changes = changes_between(now, then);
  CHECK(changes.any());
  CHECK(changes.added == ids{"discord"});
  CHECK(changes.changed == ids{"irc", "telegram"});
  CHECK(changes.removed == ids{"slack"});
}

TEST_CASE(
  "setup changes: another namespace is a change, since the homeserver's "
  "copy holds it") {
  const auto now = setup_of({"irc"});
  auto then = now;
  then.registrations[0]
    = registration("irc", changed("namespaces", "namespaces: {rooms: []}\nx:"));
  CHECK(changes_between(now, then).changed == ids{"irc"});
}

TEST_CASE("setup changes: what only a restart takes up is named and waits") {
  const auto now = setup_of({"irc"});
  auto then = setup_of({"irc", "telegram"});
  then.settings.listen = "127.0.0.1:1";
  then.settings.drain.timeout = std::chrono::milliseconds{7};
  CHECK(changes_between(now, then).need_restart == ids{"listen", "drain"});
  const auto next = with_appservices_of(now, then);
  CHECK(next.registrations.size() == 2);
  CHECK(next.settings.listen == now.settings.listen);
  // It is told again by the next reload, since it still waits.
  CHECK(changes_between(next, then).need_restart == ids{"listen", "drain"});
}

TEST_CASE("setup changes: a configuration with a problem, or without any "
          "appservice, does not replace one that works") {
  const auto now = setup_of({"irc"});
  auto wrong = setup_of({"irc"});
  wrong.problems.push_back({"f", 1, 1, "id", "expected an id"});
  CHECK(reload_problems(now, wrong) == wrong.problems);
  const auto empty = reload_problems(now, setup_of({}));
  REQUIRE(empty.size() == 1);
  CHECK(to_string(empty[0])
        == "weir.yaml: appservices.registrations: expected a registration at "
           "least, only a restart lets go of all");
  CHECK(reload_problems(setup_of({}), setup_of({})).empty());
  CHECK(reload_problems(now, setup_of({"telegram"})).empty());
}
