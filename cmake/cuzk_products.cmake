# What is delivered: the program cuzk, the library libcuzk (shared and static), its C headers and the files by which
# CMake and pkg-config find it.
include(CMakePackageConfigHelpers)
add_custom_target(products)

if(EXISTS ${PROJECT_SOURCE_DIR}/src/cli/main.cpp)
  add_executable(cuzk_program ${PROJECT_SOURCE_DIR}/src/cli/main.cpp)
  set_target_properties(cuzk_program PROPERTIES OUTPUT_NAME cuzk)
  target_link_libraries(cuzk_program PRIVATE cuzk_cli cuzk_warnings cuzk_hardening)
  add_dependencies(products cuzk_program)
  install(TARGETS cuzk_program COMPONENT program)
endif()

get_target_property(capi_type cuzk_capi TYPE)
if(capi_type STREQUAL STATIC_LIBRARY)
  file(GLOB public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/cuzk/*.h)
  target_include_directories(cuzk_capi PUBLIC ${PROJECT_SOURCE_DIR}/include)
  set(exports ${PROJECT_SOURCE_DIR}/cmake/libcuzk.map)

  # The objects of the C interface, and of the layers only what they need.
  add_library(cuzk_shared SHARED $<TARGET_OBJECTS:cuzk_capi>)
  target_link_libraries(cuzk_shared PRIVATE cuzk_capi)
  target_link_options(cuzk_shared PRIVATE -Wl,--version-script=${exports} -Wl,--no-undefined)
  set_target_properties(cuzk_shared PROPERTIES LINK_DEPENDS ${exports})

  # A static library that is whole: the objects of all the layers below, so that one archive is enough.
  set(layer_objects "")
  foreach(layer support field curve poly msm r1cs groth16 memory backend formats capi)
    get_target_property(type cuzk_${layer} TYPE)
    if(type STREQUAL STATIC_LIBRARY)
      list(APPEND layer_objects $<TARGET_OBJECTS:cuzk_${layer}>)
    endif()
  endforeach()
  add_library(cuzk_static STATIC ${layer_objects})
  target_link_libraries(cuzk_static INTERFACE ${CUZK_TBB} simdjson::simdjson OpenSSL::Crypto Threads::Threads
                        stdc++ m)

  add_dependencies(products cuzk_shared cuzk_static)
  foreach(kind shared static)
    set_target_properties(cuzk_${kind} PROPERTIES OUTPUT_NAME cuzk LINKER_LANGUAGE CXX
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
    target_sources(cuzk_${kind} PUBLIC FILE_SET public_headers TYPE HEADERS
      BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${public_headers})
  endforeach()
  set_target_properties(cuzk_shared PROPERTIES EXPORT_NAME cuzk)
  add_library(cuzk::cuzk ALIAS cuzk_shared)
  add_library(cuzk::cuzk_static ALIAS cuzk_static)

  install(TARGETS cuzk_shared EXPORT cuzk_shared FILE_SET public_headers)
  install(TARGETS cuzk_static EXPORT cuzk_static FILE_SET public_headers)
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cuzk)
  install(EXPORT cuzk_shared NAMESPACE cuzk:: FILE cuzk-shared.cmake DESTINATION ${package_dir})
  install(EXPORT cuzk_static NAMESPACE cuzk:: FILE cuzk-static.cmake DESTINATION ${package_dir})
  configure_package_config_file(cmake/cuzk-config.cmake.in gen/cuzk-config.cmake INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(gen/cuzk-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/gen/cuzk-config.cmake ${PROJECT_BINARY_DIR}/gen/cuzk-config-version.cmake
          DESTINATION ${package_dir})
  # The .pc file finds the installation from where it lies, so that it can be moved.
  file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(cmake/cuzk.pc.in gen/cuzk.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/gen/cuzk.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
