#include "tests/fuzz/properties.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

/// Entry of libFuzzer for the property that the build names as WEIR_PROPERTY.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const auto broken
    = weir::test::WEIR_PROPERTY({reinterpret_cast<const char*>(bytes), size});
  if (!broken.empty()) {
    std::fprintf(stderr, "%s\n", broken.c_str());
    std::abort();
  }
  return 0;
}
