#pragma once

#include <string>

namespace weir::test {

/// The checkout that the tests were built from.
std::string source_dir();

} // namespace weir::test
