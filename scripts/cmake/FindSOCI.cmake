# Debian's libsoci-dev carries no CMake or pkg-config file. Defines SOCI::core,
# SOCI::sqlite3 and SOCI::postgresql.
find_path(SOCI_INCLUDE_DIR soci/soci.h)
find_library(SOCI_core_LIBRARY soci_core)
find_library(SOCI_sqlite3_LIBRARY soci_sqlite3)
find_library(SOCI_postgresql_LIBRARY soci_postgresql)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  SOCI REQUIRED_VARS SOCI_core_LIBRARY SOCI_sqlite3_LIBRARY
                     SOCI_postgresql_LIBRARY SOCI_INCLUDE_DIR)
if(SOCI_FOUND AND NOT TARGET SOCI::core)
  find_package(SQLite3 REQUIRED)
  find_package(PostgreSQL REQUIRED)
  foreach(component core sqlite3 postgresql)
    add_library(SOCI::${component} UNKNOWN IMPORTED)
    set_target_properties(SOCI::${component}
                          PROPERTIES IMPORTED_LOCATION
                                     "${SOCI_${component}_LIBRARY}")
    if(NOT SOCI_INCLUDE_DIR STREQUAL "/usr/include")
      set_target_properties(SOCI::${component}
                            PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
                                       "${SOCI_INCLUDE_DIR}")
    endif()
  endforeach()
  set_property(TARGET SOCI::sqlite3 PROPERTY INTERFACE_LINK_LIBRARIES
                                             SOCI::core SQLite::SQLite3)
  set_property(TARGET SOCI::postgresql PROPERTY INTERFACE_LINK_LIBRARIES
                                                SOCI::core PostgreSQL::PostgreSQL)
endif()
