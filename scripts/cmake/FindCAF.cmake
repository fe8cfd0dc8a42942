# Debian's libcaf-dev carries no CMake or pkg-config file. Defines CAF::core.
# CAF_CORE_LIBRARY may be set on the command line, so that a ThreadSanitizer
# build can link an instrumented libcaf_core.
find_path(CAF_INCLUDE_DIR caf/all.hpp)
find_library(CAF_CORE_LIBRARY caf_core)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CAF REQUIRED_VARS CAF_CORE_LIBRARY
                                                    CAF_INCLUDE_DIR)
if(CAF_FOUND AND NOT TARGET CAF::core)
  find_package(Threads REQUIRED)
  add_library(CAF::core UNKNOWN IMPORTED)
  set_target_properties(CAF::core PROPERTIES IMPORTED_LOCATION
                                             "${CAF_CORE_LIBRARY}"
                                             INTERFACE_LINK_LIBRARIES
                                             Threads::Threads)
  # A default search path must not be named: -isystem /usr/include breaks the
  # standard headers' include_next.
  if(NOT CAF_INCLUDE_DIR STREQUAL "/usr/include")
    set_target_properties(CAF::core PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
                                               "${CAF_INCLUDE_DIR}")
  endif()
endif()
