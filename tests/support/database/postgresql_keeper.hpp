#pragma once

#include <cstdint>

namespace weir::test {

/// Starts the shared server unless it runs, and notes that this process uses it
/// until its end. Returns its port on loopback. Throws `std::runtime_error`.
uint16_t use_postgresql_server();

} // namespace weir::test
