# Every parser of bytes from outside has a property (properties.hpp). Here it is
# held against the committed corpus, in the test program of its layer.
target_sources(
  schema_tests
  PRIVATE fuzz/json_source.cpp fuzz/transaction_property.cpp
          fuzz/submission_property.cpp fuzz/token_property.cpp
          fuzz/registration_property.cpp fuzz/configuration_property.cpp
          fuzz/transaction_fuzz_test.cpp fuzz/schema_corpus_test.cpp)
target_sources(http_tests PRIVATE fuzz/request_property.cpp
                                  fuzz/query_property.cpp
                                  fuzz/answer_property.cpp
                                  fuzz/http_corpus_test.cpp)

target_sources(trace_tests PRIVATE fuzz/trace_property.cpp
                                   fuzz/trace_corpus_test.cpp)

set(fuzzers transaction submission token registration configuration request query
            answer trace)

# Guided by coverage they run in a build of their own, by clang, which
# scripts/fuzz makes. A minute each is what every check can spend.
add_test(NAME "fuzz: the fuzzers build"
         COMMAND ${CMAKE_SOURCE_DIR}/scripts/fuzz --build)
set_tests_properties(
  "fuzz: the fuzzers build" PROPERTIES FIXTURES_SETUP fuzzers LABELS fuzz
                                       TIMEOUT 900 ENVIRONMENT
                                       BUILD_DIR=${CMAKE_BINARY_DIR})
foreach(fuzzer IN LISTS fuzzers)
  add_test(NAME "fuzz: a minute of ${fuzzer} finds nothing"
           COMMAND ${CMAKE_SOURCE_DIR}/scripts/fuzz --seconds 60 --seed 1
                   ${fuzzer})
  set_tests_properties(
    "fuzz: a minute of ${fuzzer} finds nothing"
    PROPERTIES FIXTURES_REQUIRED fuzzers LABELS fuzz TIMEOUT 180 ENVIRONMENT
               BUILD_DIR=${CMAKE_BINARY_DIR})
endforeach()

option(WEIR_FUZZ "Build the libFuzzer programs (clang only)" OFF)
if(NOT WEIR_FUZZ)
  return()
endif()

foreach(library weir_schema weir_policy)
  target_compile_options(${library} PRIVATE -fsanitize=fuzzer-no-link)
endforeach()
# The reader of traces without the actors.
add_library(weir_fuzz_trace OBJECT ../persistence/text_check.cpp
                                   ../actors/trace/guard.cpp
                                   ../actors/trace/reader.cpp
                                   ../actors/trace/show.cpp)
target_compile_options(weir_fuzz_trace PRIVATE -fsanitize=fuzzer-no-link)
target_link_libraries(weir_fuzz_trace PUBLIC weir_schema
                      PRIVATE nlohmann_json::nlohmann_json)
# The parsers of the http layer without its actors.
add_library(
  weir_fuzz_http OBJECT
  ../http/boost_assert.cpp ../http/auth.cpp ../http/framing.cpp ../http/matrix_reply.cpp
  ../http/message_reader.cpp ../http/query.cpp ../http/router.cpp ../http/wire.cpp
  ../http/client/answer_reader.cpp ../persistence/text_check.cpp)
target_compile_definitions(weir_fuzz_http PUBLIC BOOST_ENABLE_ASSERT_HANDLER)
target_compile_options(weir_fuzz_http PRIVATE -fsanitize=fuzzer-no-link)
target_link_libraries(weir_fuzz_http PUBLIC weir_schema Threads::Threads
                      PRIVATE OpenSSL::SSL OpenSSL::Crypto nlohmann_json::nlohmann_json)

foreach(fuzzer IN LISTS fuzzers)
  set(program fuzz_${fuzzer})
  add_executable(${program} fuzz/fuzz_entry.cpp fuzz/${fuzzer}_property.cpp)
  target_compile_definitions(
    ${program} PRIVATE WEIR_PROPERTY=broken_${fuzzer}_property)
  target_compile_options(${program} PRIVATE -fsanitize=fuzzer)
  target_link_options(${program} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(${program} PRIVATE weir_policy weir_schema)
  if(fuzzer MATCHES "^(request|query|answer)$")
    target_link_libraries(${program} PRIVATE weir_fuzz_http OpenSSL::SSL OpenSSL::Crypto)
  endif()
  if(fuzzer STREQUAL trace)
    target_link_libraries(${program} PRIVATE weir_fuzz_trace)
  endif()
  list(APPEND fuzz_programs ${program})
endforeach()
add_custom_target(fuzzers DEPENDS ${fuzz_programs})
