# What the build tree and an installed aprx hold beside their libraries: descriptions, headers, licences.
# The two trees look alike below their root, so the program finds plugins and descriptions the same way.

# Model descriptions are data: they are copied whenever one changes.
file(GLOB descriptions CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/plugins/models/*.json)
set(description_copies)
foreach(description ${descriptions})
  get_filename_component(name ${description} NAME)
  set(copy ${CMAKE_BINARY_DIR}/share/aprx/models/${name})
  add_custom_command(OUTPUT ${copy} DEPENDS ${description} COMMENT "Copying model description ${name}"
                     COMMAND ${CMAKE_COMMAND} -E copy ${description} ${copy})
  list(APPEND description_copies ${copy})
endforeach()
add_custom_target(aprx_descriptions ALL DEPENDS ${description_copies})
install(FILES ${descriptions} DESTINATION share/aprx/models)

if(TARGET aprx)
  add_dependencies(aprx aprx_descriptions)
  install(TARGETS aprx RUNTIME DESTINATION bin)
endif()

# Plugins stand where the program looks first; what they need beside the distribution's libraries is one folder up.
foreach(plugin aprx_backend_cpu aprx_backend_reference aprx_backend_cuda aprx_format_gguf)
  if(TARGET ${plugin})
    set_target_properties(${plugin} PROPERTIES INSTALL_RPATH "$ORIGIN/..")
    install(TARGETS ${plugin} LIBRARY DESTINATION lib/aprx/plugins)
  endif()
endforeach()
if(EXISTS ${APRX_DEPS_PREFIX})
  file(GLOB highway ${APRX_DEPS_PREFIX}/lib/*/libhwy.so.*)
  install(FILES ${highway} DESTINATION lib/aprx)
endif()

install(DIRECTORY ${CMAKE_SOURCE_DIR}/sdk/include/aprx DESTINATION include)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/NOTICE DESTINATION share/doc/aprx)
