# cuzk_layer(name [ARITHMETIC] [DEPS layer...] [LIBS target...] [PRIVATE_LIBS target...] [DEFINES definition...]
#            [SUBDIRS dir...] [EXCLUDE file...] [MERGED])
#
# One layer = the folder src/<name> = the static library cuzk_<name>. Sources write "layer/file.h"; src itself is never
# an include path. Each layer exports one folder that holds one symbolic link, so an include without a link edge is
# "No such file or directory". SUBDIRS are folders below the layer whose sources belong to it; EXCLUDE names sources
# that another target compiles. ARITHMETIC layers are optimised in debug builds too and carry no hardening. Under a
# sanitizer the sources of MERGED layers are compiled eight at a time: parsing is most of their compile time. So names of
# their unnamed namespaces are unique in the layer. Fuzzers, whose coverage is counted by file, do without.

function(cuzk_layer name)
  cmake_parse_arguments(A "ARITHMETIC;MERGED" "" "DEPS;LIBS;PRIVATE_LIBS;DEFINES;SUBDIRS;EXCLUDE" ${ARGN})
  set(src ${PROJECT_SOURCE_DIR}/src/${name})
  set(inc ${PROJECT_BINARY_DIR}/inc/${name})
  set(source_globs ${src}/*.cpp)
  set(header_globs ${src}/*.h)
  foreach(sub IN LISTS A_SUBDIRS)
    list(APPEND source_globs ${src}/${sub}/*.cpp)
    list(APPEND header_globs ${src}/${sub}/*.h)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${source_globs})
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${src} ${header_globs})
  foreach(file IN LISTS A_EXCLUDE)
    list(REMOVE_ITEM sources ${src}/${file})
  endforeach()
  list(TRANSFORM A_DEPS PREPEND cuzk_)
  set_property(GLOBAL APPEND PROPERTY CUZK_LAYERS ${name})
  if(NOT sources AND NOT headers)  # nothing here yet: the floors below stay reachable through it
    add_library(cuzk_${name} INTERFACE)
    target_link_libraries(cuzk_${name} INTERFACE ${A_DEPS})
    return()
  endif()
  if(NOT sources)  # a layer of headers alone is still a library, so that every edge looks the same
    set(sources ${PROJECT_BINARY_DIR}/gen/cuzk_${name}_headers_only.cpp)
    file(GENERATE OUTPUT ${sources} CONTENT "// Layer ${name} consists of headers.\n")
  endif()

  file(MAKE_DIRECTORY ${inc})
  file(CREATE_LINK ${src} ${inc}/${name} SYMBOLIC)
  list(FILTER headers EXCLUDE REGEX "_(impl|kernels)\\.h$")  # bodies of templates: compiled by their own units only
  list(TRANSFORM headers PREPEND ${inc}/${name}/)

  add_library(cuzk_${name} STATIC ${sources})
  add_library(cuzk::${name} ALIAS cuzk_${name})
  target_sources(cuzk_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${inc} FILES ${headers})
  target_link_libraries(cuzk_${name} PUBLIC ${A_DEPS} ${A_LIBS} PRIVATE ${A_PRIVATE_LIBS} cuzk_warnings)
  target_compile_definitions(cuzk_${name} PRIVATE ${A_DEFINES})
  if(A_MERGED AND CUZK_SANITIZE AND NOT CUZK_BUILD_FUZZ)
    set_target_properties(cuzk_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    target_compile_options(cuzk_${name} PRIVATE -Wno-subobject-linkage)
  endif()
  if(A_ARITHMETIC)
    target_compile_options(cuzk_${name} PRIVATE $<$<CONFIG:Debug>:-O1>)
  else()
    target_link_libraries(cuzk_${name} PRIVATE cuzk_hardening)
  endif()
endfunction()
