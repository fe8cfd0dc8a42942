# End-to-end tests: the real binary against scripted peers. Every file prints
# its cases with --list; each becomes a test of its own. A case that takes part
# in no ordinary run carries the label soak instead of e2e.
# WEIR_NODE is found in tests/scripts.cmake.

# The program with stops: the same main and libraries, and a handler that
# blocks at a named step until SIGKILL.
file(GLOB stop_point_sources CONFIGURE_DEPENDS
     ${CMAKE_CURRENT_LIST_DIR}/../support/stop_points/*.cpp)
if(EXISTS ${CMAKE_SOURCE_DIR}/actors/stop_points.hpp)
  add_executable(weir_stoppable ${CMAKE_SOURCE_DIR}/http/main.cpp
                                ${stop_point_sources})
  target_link_libraries(weir_stoppable PRIVATE weir_http)
  set(weir_stoppable_environment "WEIR_STOPPABLE=$<TARGET_FILE:weir_stoppable>")
endif()

# One initdb for all: it costs more than most cases.
set(e2e_template ${CMAKE_BINARY_DIR}/e2e_cluster)
add_test(NAME "e2e: a database cluster is made to be copied"
         COMMAND ${WEIR_NODE} ${CMAKE_CURRENT_LIST_DIR}/lib/make_template.mjs
                 ${e2e_template})
set_tests_properties(
  "e2e: a database cluster is made to be copied"
  PROPERTIES FIXTURES_SETUP e2e_cluster TIMEOUT 300 LABELS e2e)
set(e2e_environment
    "WEIR_BINARY=$<TARGET_FILE:weir>" "WEIR_PG_TEMPLATE=${e2e_template}"
    ${weir_stoppable_environment})

file(GLOB e2e_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.mjs)
file(GLOB e2e_library ${CMAKE_CURRENT_LIST_DIR}/lib/*.mjs)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${e2e_files}
                                       ${e2e_library})
foreach(file IN LISTS e2e_files)
  execute_process(
    COMMAND ${WEIR_NODE} ${file} --list
    OUTPUT_VARIABLE listed
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "|" listed "${listed}")
  string(REPLACE "\n" ";" listed "${listed}")
  foreach(line IN LISTS listed)
    string(REPLACE "|" ";" fields "${line}")
    list(GET fields 0 name)
    list(GET fields 1 seconds)
    list(GET fields 2 label)
    list(GET fields 3 serial)
    list(GET fields 4 needs_cluster)
    # The runner's own deadline comes first and tells more.
    math(EXPR timeout "${seconds} + 60")
    add_test(NAME "e2e: ${name}" COMMAND ${WEIR_NODE} ${file} --only "${name}")
    set_tests_properties(
      "e2e: ${name}" PROPERTIES TIMEOUT ${timeout} LABELS ${label} RUN_SERIAL
                                ${serial} ENVIRONMENT "${e2e_environment}")
    if(needs_cluster)
      set_tests_properties("e2e: ${name}" PROPERTIES FIXTURES_REQUIRED
                                                     e2e_cluster)
    endif()
  endforeach()
endforeach()
