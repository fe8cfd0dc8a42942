# Client tests: real bridge libraries from npm behind the real binary. The
# libraries are installed below the build folder by a fixture of its own; a
# machine without npm fails there, and nothing is skipped.
set(client_folder ${CMAKE_BINARY_DIR}/clients)
set(client_environment "WEIR_BINARY=$<TARGET_FILE:weir>"
                       "WEIR_CLIENT_MODULES=${client_folder}/node_modules")
add_test(NAME "clients: npm ci" COMMAND ${CMAKE_CURRENT_LIST_DIR}/install
                                        ${client_folder})
set_tests_properties(
  "clients: npm ci" PROPERTIES LABELS clients TIMEOUT 300 FIXTURES_SETUP
                               client_libraries)

file(GLOB client_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.mjs)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${client_files})
foreach(file IN LISTS client_files)
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
    # The runner's own deadline comes first and tells more.
    math(EXPR timeout "${seconds} + 60")
    add_test(NAME "clients: ${name}" COMMAND ${WEIR_NODE} ${file} --only
                                             "${name}")
    set_tests_properties(
      "clients: ${name}"
      PROPERTIES TIMEOUT ${timeout} LABELS clients FIXTURES_REQUIRED
                 client_libraries ENVIRONMENT "${client_environment}")
  endforeach()
endforeach()
