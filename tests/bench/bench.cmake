# Weir beside the reference; built only when asked for by name, run by
# scripts/bench. Paths stand from the root: this file is included from tests.
find_package(SQLite3 REQUIRED)

set(bench_folder ${CMAKE_CURRENT_LIST_DIR})
add_library(weir_bench_parts STATIC EXCLUDE_FROM_ALL ${bench_folder}/events.cpp
                                                     ${bench_folder}/wire.cpp)
target_link_libraries(weir_bench_parts PUBLIC weir_flags)

add_executable(
  weir_bench EXCLUDE_FROM_ALL
  ${bench_folder}/main.cpp ${bench_folder}/disk.cpp ${bench_folder}/load.cpp
  ${bench_folder}/scenario.cpp ${bench_folder}/sink.cpp
  ${bench_folder}/statistics.cpp ${bench_folder}/subject.cpp)
target_link_libraries(weir_bench PRIVATE weir_bench_parts SQLite::SQLite3
                                         Threads::Threads)

add_executable(
  weir_bench_peer EXCLUDE_FROM_ALL
  ${bench_folder}/peer.cpp ${bench_folder}/load.cpp ${bench_folder}/sink.cpp
  ${bench_folder}/subject.cpp)
target_link_libraries(weir_bench_peer PRIVATE weir_bench_parts Threads::Threads)

add_executable(
  weir_reference EXCLUDE_FROM_ALL
  ${bench_folder}/reference.cpp ${bench_folder}/ledger.cpp
  ${bench_folder}/slice.cpp ${bench_folder}/sqlite.cpp)
target_link_libraries(
  weir_reference PRIVATE weir_bench_parts SQLite::SQLite3 simdjson::simdjson
                         OpenSSL::Crypto Threads::Threads)
