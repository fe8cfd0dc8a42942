# The checks of scripts/ as tests, each with one that plants breaks of its rules.
find_program(PERL perl REQUIRED)

function(weir_script_test name)
  add_test(NAME "scripts: ${name}" COMMAND ${ARGN})
  set_tests_properties("scripts: ${name}" PROPERTIES LABELS quick TIMEOUT 60)
endfunction()

foreach(checker check_layers check_style)
  weir_script_test("${checker} finds nothing" ${PERL}
                   ${CMAKE_SOURCE_DIR}/scripts/${checker} ${CMAKE_SOURCE_DIR})
  weir_script_test(
    "${checker} finds what is planted" ${PERL}
    ${CMAKE_CURRENT_SOURCE_DIR}/scripts/planted.pl ${CMAKE_SOURCE_DIR}
    ${checker})
endforeach()
weir_script_test("mutants are found and counted" ${PERL}
                 ${CMAKE_CURRENT_SOURCE_DIR}/scripts/mutants.pl
                 ${CMAKE_SOURCE_DIR})
weir_script_test("every rule has a test that is there"
                 ${CMAKE_SOURCE_DIR}/scripts/check_rules ${CMAKE_BINARY_DIR})
weir_script_test("check_rules finds what is planted" ${PERL}
                 ${CMAKE_CURRENT_SOURCE_DIR}/scripts/rules.pl
                 ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
# What Prometheus itself says of the alerts; tests/unit/schema/alerts_test.cpp
# compares them with the figures and the pages.
find_program(PROMTOOL promtool REQUIRED)
foreach(what "check rules ${CMAKE_SOURCE_DIR}/docs/examples/weir.rules.yml"
             "test rules ${CMAKE_CURRENT_SOURCE_DIR}/alerts/weir.rules_test.yml \
${CMAKE_CURRENT_SOURCE_DIR}/alerts/weir.rules_hours_test.yml")
  separate_arguments(words UNIX_COMMAND "${what}")
  list(SUBLIST words 0 2 verb)
  list(JOIN verb " " verb)
  weir_script_test("promtool ${verb}" ${PROMTOOL} ${words})
endforeach()
weir_script_test("every doctest case is a ctest test"
                 ${CMAKE_SOURCE_DIR}/scripts/count_tests ${CMAKE_BINARY_DIR})

# The Node that the end-to-end and client tests run on: not the first in PATH,
# but the one that is new enough.
execute_process(
  COMMAND ${CMAKE_SOURCE_DIR}/scripts/node -p process.execPath
  OUTPUT_VARIABLE node_found
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(WEIR_NODE ${node_found} CACHE FILEPATH "Node >= 20" FORCE)
