#include "persistence/text_check.hpp"
#include "tests/support/memory_store/memory_ports.hpp"

namespace weir::test {

expected<int64_t> memory_commands::record(const command_row& row) {
  WEIR_TRY(const auto statement, on_.run("record command", true));
  for (const auto* text : {&row.target, &row.verb, &row.by, &row.result})
    if (!storable_as_text(*text))
      return fail(on_.failed(ec::rejected, "record command: text"));
  auto kept = row;
  kept.id = on_.tables().last_command + 1;
  on_.set<&memory_tables::last_command>(kept.id);
  on_.put<&memory_tables::commands>(kept.id, kept);
  return kept.id;
}

expected<uint64_t> memory_commands::forget_commands(size_t keep_max,
                                                    size_t rows_max) {
  WEIR_TRY(const auto statement, on_.run("forget commands"));
  const auto& rows = on_.tables().commands;
  uint64_t forgotten = 0;
  while (rows.size() > keep_max && forgotten < rows_max) {
    on_.erase<&memory_tables::commands>(int64_t{rows.begin()->first});
    ++forgotten;
  }
  return forgotten;
}

} // namespace weir::test
