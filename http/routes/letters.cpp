#include "http/routes/letters.hpp"

#include "http/matrix_reply.hpp"

namespace weir {

namespace {

http_response not_configured(const std::string& id, bool is_served) {
  if (is_served)
    return matrix_error(409, "ORG.WEIR.NOT_SENT_TO",
                        "appservice " + id
                          + " has no url: nothing is ever sent to it");
  return matrix_error(409, "ORG.WEIR.NOT_CONFIGURED",
                      "appservice " + id
                        + " is not in the configuration: add its registration "
                          "and reload first");
}

/// Letters, before anything is said of what is done with them.
kept_kind letters_of(house& door) {
  kept_kind kind;
  kind.not_found = "No such dead letter";
  // A listing from there on: it leaves the bytes where they are.
  kind.owner_of = [&door](int64_t id, auto then) {
    door.dead_letters(
      {std::nullopt, id - 1, 1},
      [id, then = std::move(then)](const expected<dead_letters_page>& page) {
        if (!page)
          return then(fail(page.error()));
        const auto& found = page.value().letters;
        const bool is_there = !found.empty() && found.front().id == id;
        then(is_there ? std::optional{found.front().appservice} : std::nullopt);
      });
  };
  kind.objection
    = [](const std::string&) { return std::optional<http_response>{}; };
  return kind;
}

} // namespace

void replay_reply(house& door, const letter_rules& rules, kept_change what,
                  reply answer) {
  auto kind = letters_of(door);
  kind.objection = [rules](const std::string& id) {
    const bool is_served = !rules.serves || rules.serves(id);
    const bool may = is_served && rules.bounds_of && rules.bounds_of(id);
    return may ? std::nullopt : std::optional{not_configured(id, is_served)};
  };
  kind.change = [&door, rules, by = what.by](
                  const appservice_id& id, kept_selection which,
                  std::function<void(expected<kept_changed>)> then) {
    const auto bounds = rules.bounds_of(id.value);
    if (!bounds)
      return then(fail(ec::not_current, "the configuration was changed"));
    door.replay({id, std::move(which), *bounds, by, {}}, std::move(then));
  };
  change_kept(std::move(kind), std::move(what), std::move(answer));
}

void drop_reply(house& door, kept_change what, reply answer) {
  auto kind = letters_of(door);
  kind.change
    = [&door, by = what.by](const appservice_id& id, kept_selection which,
                            std::function<void(expected<kept_changed>)> then) {
        door.drop({id, std::move(which), by, {}}, std::move(then));
      };
  change_kept(std::move(kind), std::move(what), std::move(answer));
}

} // namespace weir
