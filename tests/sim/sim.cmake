# The simulator. Paths stand from the root: this file is included from tests.
find_package(SQLite3 REQUIRED)

set(sim_folder ${CMAKE_CURRENT_LIST_DIR})
file(GLOB sim_sources CONFIGURE_DEPENDS ${sim_folder}/*.cpp)
list(REMOVE_ITEM sim_sources ${sim_folder}/main.cpp)
list(FILTER sim_sources EXCLUDE REGEX "_test\\.cpp$")
add_library(weir_sim_parts STATIC ${sim_sources})
target_link_libraries(
  weir_sim_parts PUBLIC weir_actors weir_memory_store weir_test_database
                        SQLite::SQLite3
  PRIVATE nlohmann_json::nlohmann_json)

add_executable(weir_sim ${sim_folder}/main.cpp)
target_link_libraries(weir_sim PRIVATE weir_sim_parts)

# Copies of product sources with deliberate faults, in a program of their own.
# They stand before the libraries, so that the linker takes none of these from
# there.
set(make_mutants ${sim_folder}/mutants/make.pl)
file(GLOB sim_faults CONFIGURE_DEPENDS ${sim_folder}/mutants/faults/*.txt)
execute_process(
  COMMAND ${PERL} ${make_mutants} ${CMAKE_SOURCE_DIR} --sources
  OUTPUT_VARIABLE faulty_sources
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" faulty_sources "${faulty_sources}")
set(faulty_folder ${CMAKE_BINARY_DIR}/tests/sim_mutants)
list(TRANSFORM faulty_sources PREPEND ${CMAKE_SOURCE_DIR}/ OUTPUT_VARIABLE
                                                           sound_sources)
list(TRANSFORM faulty_sources PREPEND ${faulty_folder}/)
add_custom_command(
  OUTPUT ${faulty_sources}
  COMMAND ${PERL} ${make_mutants} ${CMAKE_SOURCE_DIR} ${faulty_folder}
  DEPENDS ${make_mutants} ${sim_faults} ${sound_sources}
  VERBATIM)
add_executable(weir_sim_mutants ${faulty_sources} ${sim_folder}/mutants/main.cpp
                                ${sim_folder}/mutants/active.cpp)
target_link_libraries(weir_sim_mutants PRIVATE weir_sim_parts SOCI::sqlite3
                                               SOCI::postgresql)
if(WEIR_SANITIZE MATCHES undefined) # As weir_persistence is compiled.
  target_compile_options(weir_sim_mutants PRIVATE -fno-sanitize=vptr)
endif()

file(GLOB sim_test_sources CONFIGURE_DEPENDS ${sim_folder}/*_test.cpp)
add_executable(sim_tests ${sim_test_sources})
target_link_libraries(sim_tests PRIVATE weir_test_main weir_sim_parts)
doctest_discover_tests(sim_tests PROPERTIES TIMEOUT ${weir_case_seconds} LABELS
                       "quick;sim")

math(EXPR weir_search_seconds "5 * ${weir_case_seconds}")
function(weir_sim_test name)
  add_test(NAME "sim: ${name}" COMMAND ${ARGN})
  set_tests_properties("sim: ${name}" PROPERTIES LABELS sim TIMEOUT ${weir_search_seconds})
endfunction()

# In parts, so that they share the processors.
weir_sim_test("120 seeds on SQLite" weir_sim --seed 1 --seeds 120 --shrink)
weir_sim_test("120 more seeds on SQLite" weir_sim --seed 1001 --seeds 120
              --shrink)
weir_sim_test("200 seeds in memory" weir_sim --seed 1 --seeds 200 --store memory
              --shrink)

list(TRANSFORM sim_faults REPLACE ".*/([a-z_]+)[^/]*$" "\\1" OUTPUT_VARIABLE
                                                              fault_names)
list(REMOVE_DUPLICATES fault_names)
list(LENGTH fault_names fault_count)
math(EXPR half "${fault_count} / 2")
list(SUBLIST fault_names 0 ${half} first_faults)
list(SUBLIST fault_names ${half} -1 other_faults)
weir_sim_test("each fault is found, first half" weir_sim_mutants ${first_faults})
weir_sim_test("each fault is found, other half" weir_sim_mutants ${other_faults})
# What a developer sees who changes a constant of a policy.
weir_sim_test(
  "a changed constant of a policy fails a replay, readably" weir_sim_mutants
  --replay doubles_twice ${CMAKE_SOURCE_DIR}/tests/traces/outage_and_recovery.jsonl)
set(changed_constant
    "DIFFERENT +appservice/irc#[^\n]*differs at line"
    "in the trace:   timer pause_over in 1 s"
    "in the replay:  timer pause_over in 2 s" "the messages before it:")
list(JOIN changed_constant ".*" changed_constant)
set_tests_properties(
  "sim: a changed constant of a policy fails a replay, readably"
  PROPERTIES PASS_REGULAR_EXPRESSION "${changed_constant}" FAIL_REGULAR_EXPRESSION
             "FAILED")
weir_sim_test("the product holds no fault" ${sim_folder}/mutants/check_product
              $<TARGET_FILE:weir> $<TARGET_FILE:weir_sim_mutants>)
