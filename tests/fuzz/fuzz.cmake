# The deterministic fuzz test is part of schema_tests. With -DWEIR_FUZZ=ON and
# clang there is a libFuzzer program beside it, with coverage of the schema
# layer: tests/transaction_fuzz [-max_total_time=seconds] [corpus folder].
target_sources(
  schema_tests
  PRIVATE fuzz/json_source.cpp fuzz/transaction_property.cpp
          fuzz/transaction_fuzz_test.cpp)

option(WEIR_FUZZ "Build the libFuzzer program (clang only)" OFF)
if(WEIR_FUZZ)
  target_compile_options(weir_schema PRIVATE -fsanitize=fuzzer-no-link)
  add_executable(transaction_fuzz fuzz/transaction_fuzz.cpp
                                  fuzz/transaction_property.cpp)
  target_compile_options(transaction_fuzz PRIVATE -fsanitize=fuzzer)
  target_link_libraries(transaction_fuzz PRIVATE weir_schema)
  target_link_options(transaction_fuzz PRIVATE -fsanitize=fuzzer)
endif()
