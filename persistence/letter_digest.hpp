#pragma once

#include "persistence/rows.hpp"

#include <string>

namespace weir {

/// What tells two dead letters of one appservice apart: SHA-256 in hex of lane,
/// keys and bytes. An event is one letter however often it is refused. Elements
/// of the other lanes have no ids, and two that are equal are two: the second
/// of them is told by its place in the outbox.
std::string letter_digest(const dead_letter_row& row);

} // namespace weir
