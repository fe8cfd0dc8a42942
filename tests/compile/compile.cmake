# What must not compile, each with a twin that does: the compiler is asked, and
# nothing is built. tests/compile/tokens.cpp has the cases by these numbers.
set(weir_compile_cases
    "what is allowed compiles"
    "no snapshot is made outside"
    "a raw token reads nothing"
    "a verified token alone reads nothing"
    "a snapshot is not copied"
    "a snapshot is kept in nothing that is copied"
    "a snapshot of one listing serves no other"
    "a raw token is no demand"
    "a token of a write is no cursor"
    "no verified token is made outside"
    "no verified cursor is made outside"
    "no snapshot is opened past the tokens"
    "rows are reached through their listing only"
    "no token is made of positions alone"
    "no token is made of a page that was not read")
set(number 0)
foreach(sentence IN LISTS weir_compile_cases)
  add_test(
    NAME "compile: ${sentence}"
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/run ${CMAKE_CXX_COMPILER}
            ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_LIST_DIR}/tokens.cpp ${number})
  set_tests_properties("compile: ${sentence}" PROPERTIES LABELS quick TIMEOUT
                                                         600)
  math(EXPR number "${number} + 1")
endforeach()
