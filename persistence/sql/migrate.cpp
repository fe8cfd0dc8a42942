#include "persistence/sql/migrate.hpp"

#include "persistence/sql/statement.hpp"
#include "schema/hash.hpp"

#include <map>

namespace weir::sql {

namespace {

constexpr const char* version_table
  = "CREATE TABLE IF NOT EXISTS schema_version ("
    "number INTEGER NOT NULL PRIMARY KEY, topic TEXT NOT NULL, "
    "sha256 TEXT NOT NULL)";
constexpr size_t key_bytes = 32;
/// Any number that nobody else uses on this database.
constexpr const char* postgresql_lock
  = "SELECT pg_advisory_xact_lock(7391640217)";

/// Checksum by number, as recorded in the database.
using applied = std::map<int64_t, std::string>;

expected<applied> read_applied(connection& on) {
  statement versions{on, "schema version",
                     "SELECT number, sha256 FROM schema_version", "it"};
  WEIR_TRY(versions.run());
  applied found;
  while (true) {
    WEIR_TRY(auto more, versions.next());
    if (!more)
      return found;
    found.emplace(versions.number(0), versions.text(1));
  }
}

std::map<int64_t, const migration*>
for_database(const connection& on, std::span<const migration> known) {
  std::map<int64_t, const migration*> mine;
  for (const auto& each : known) {
    if (each.database == on.speaks().name())
      mine.emplace(each.number, &each);
  }
  return mine;
}

/// Everything applied must be known, with the bytes it had then.
expected<void> compare(const applied& found,
                       const std::map<int64_t, const migration*>& mine) {
  for (const auto& [number, sha256] : found) {
    const auto each = mine.find(number);
    if (each == mine.end())
      return fail(ec::corrupt,
                  "schema: version " + std::to_string(number)
                    + " is newer than this program");
    if (sha256_hex(each->second->sql) != sha256)
      return fail(ec::corrupt,
                  "schema: migration " + std::to_string(number)
                    + " was changed after it was applied");
  }
  return ok();
}

expected<void> apply(connection& on, const migration& each) {
  WEIR_TRY(on.script(std::string{each.sql}));
  statement note{on, "schema version",
                 "INSERT INTO schema_version (number, topic, sha256) "
                 "VALUES (:number, :topic, :sha256)"};
  return note.run(each.number, each.topic, sha256_hex(each.sql));
}

expected<void> draw_identity(connection& on) {
  statement draw{on, "identity",
                 "INSERT INTO meta (key, value) VALUES (:key, :value) "
                 "ON CONFLICT (key) DO NOTHING"};
  WEIR_TRY(draw.run(std::string_view{"store_id"}, random_hex(key_bytes)));
  return draw.run(std::string_view{"ping_key"}, random_hex(key_bytes));
}

expected<void> migrate_inside(connection& on,
                              std::span<const migration> known) {
  if (on.speaks().postgresql) {
    WEIR_TRY(on.script(postgresql_lock));
  }
  WEIR_TRY(on.script(version_table));
  WEIR_TRY(const auto found, read_applied(on));
  const auto mine = for_database(on, known);
  WEIR_TRY(compare(found, mine));
  for (const auto& [number, each] : mine) {
    if (!found.contains(number)) {
      WEIR_TRY(apply(on, *each));
    }
  }
  return draw_identity(on);
}

} // namespace

expected<void> migrate(connection& on, std::span<const migration> known) {
  WEIR_TRY(on.begin_writing());
  auto done = migrate_inside(on, known);
  if (done)
    done = on.commit();
  if (!done)
    on.rollback();
  return done;
}

expected<void> check_schema(connection& on, std::span<const migration> known) {
  auto found = read_applied(on);
  if (!found)
    return fail(found.error().code == ec::unavailable
                  ? found.error()
                  : error{ec::corrupt, "schema: no store is here yet"});
  const auto mine = for_database(on, known);
  WEIR_TRY(compare(found.value(), mine));
  if (found.value().size() != mine.size())
    return fail(ec::corrupt, "schema: migrations are missing");
  return ok();
}

} // namespace weir::sql
