#include "persistence/slots.hpp"
#include "persistence/sql/location.hpp"
#include "persistence/sql/migrate.hpp"
#include "persistence/sql/reader.hpp"
#include "persistence/sql/store.hpp"

namespace weir {

namespace {

expected<std::unique_ptr<sql::connection>> connect(const store_options& options,
                                                   sql::purpose use) {
  WEIR_TRY(auto to, sql::parse_url(options.url));
  auto made = std::make_unique<sql::connection>(std::move(to), use,
                                                options.allow_unsafe_database);
  WEIR_TRY(made->open());
  return made;
}

/// Whoever reads of a failure is told which store it is about.
error of_store(const store_options& options, const error& why) {
  return {why.code, sql::shown_location(options.url) + ": " + why.context};
}

expected<std::unique_ptr<store>> opened_store(const store_options& options,
                                              bool apply_migrations) {
  if (apply_migrations) {
    WEIR_TRY(auto migrating, connect(options, sql::purpose::migrating));
    WEIR_TRY(sql::migrate(*migrating, embedded_migrations()));
  }
  WEIR_TRY(auto writing, connect(options, sql::purpose::writing));
  WEIR_TRY(sql::check_schema(*writing, embedded_migrations()));
  return std::make_unique<sql::sql_store>(std::move(writing));
}

expected<std::unique_ptr<store_reader>>
opened_reader(const store_options& options) {
  WEIR_TRY(auto reading, connect(options, sql::purpose::reading));
  WEIR_TRY(sql::check_schema(*reading, embedded_migrations()));
  return std::make_unique<sql::reader>(std::move(reading));
}

/// Asks for the name of the table of slots; empty or no row: there is none.
std::string find_slots(const sql::dialect& speaks) {
  return speaks.postgresql
    ? "SELECT CAST(to_regclass('slot') AS TEXT)"
    : "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'slot'";
}

/// Slots are as they were in the first version.
expected<std::vector<slot_row>> found_slots(const store_options& options) {
  WEIR_TRY(auto looking, connect(options, sql::purpose::migrating));
  WEIR_TRY(const auto table, looking->value(find_slots(looking->speaks())));
  if (table.empty())
    return std::vector<slot_row>{};
  return sql::sql_store{std::move(looking)}.slots();
}

} // namespace

expected<std::unique_ptr<store>> open_store(const store_options& options,
                                            bool migrate) {
  auto opened = opened_store(options, migrate);
  if (!opened)
    return fail(of_store(options, opened.error()));
  return opened;
}

expected<std::unique_ptr<store_reader>>
open_store_reader(const store_options& options) {
  auto opened = opened_reader(options);
  if (!opened)
    return fail(of_store(options, opened.error()));
  return opened;
}

expected<std::vector<slot_row>> slots_of(const store_options& options) {
  auto found = found_slots(options);
  if (!found)
    return fail(of_store(options, found.error()));
  return found;
}

} // namespace weir
