# Compiles the numbered SQL migrations into the binary, so that the one file
# that operators copy holds all it needs.
set(WEIR_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/weir_embed_script.cmake")

function(weir_embed_migrations target)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/schema/sql/*/*.sql)
  set(out "${CMAKE_BINARY_DIR}/generated/migrations_embedded.cpp")
  add_custom_command(
    OUTPUT "${out}"
    COMMAND ${CMAKE_COMMAND} "-DOUT=${out}" "-DROOT=${CMAKE_SOURCE_DIR}/schema/sql"
            -P "${WEIR_EMBED_SCRIPT}"
    DEPENDS ${files} "${WEIR_EMBED_SCRIPT}"
    COMMENT "Embedding SQL migrations")
  target_sources(${target} PRIVATE "${out}")
endfunction()
