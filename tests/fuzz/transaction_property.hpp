#pragma once

#include <string>
#include <string_view>

namespace weir::test {

/// What must hold of any bytes at all:
/// - they are sliced, refused as no JSON or refused as misshapen, and the
///   grammar check agrees on which;
/// - what is sliced renders to JSON that slices into the same elements.
/// Returns what does not hold, or nothing.
std::string broken_transaction_property(std::string_view body);

} // namespace weir::test
