#include "persistence/letter_digest.hpp"

#include "schema/hash.hpp"

#include <fmt/format.h>

namespace weir {

std::string letter_digest(const dead_letter_row& row) {
  const bool is_event = row.item.kind == lane::event;
  // No key holds a zero: it is part of a JSON text.
  auto text = fmt::format("{}\n{}\n{}", static_cast<int>(row.item.kind),
                          is_event ? 0 : row.seq, row.item.keys);
  text.push_back('\0');
  return sha256_hex(text.append(row.item.bytes));
}

} // namespace weir
