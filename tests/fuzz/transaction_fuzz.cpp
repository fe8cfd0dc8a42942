#include "tests/fuzz/transaction_property.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

/// Entry of libFuzzer: the property of the deterministic test, for inputs that
/// coverage leads to.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const auto broken = weir::test::broken_transaction_property(
    {reinterpret_cast<const char*>(bytes), size});
  if (!broken.empty()) {
    std::fprintf(stderr, "%s\n", broken.c_str());
    std::abort();
  }
  return 0;
}
