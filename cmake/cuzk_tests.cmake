# Tests, benchmarks and fuzzers mirror src/. A folder's files become one program; new files need no edit here.
#
#   tests/<folder>/*_test.cpp          -> <folder>_test          label <folder>
#   tests/<folder>/*_slow_test.cpp     -> <folder>_slow_test     labels <folder>, slow
#   tests/<folder>/*_vectors_test.cpp  -> <folder>_vectors_test  labels <folder>, vectors
#   tests/support/*.cpp, not *_test    -> cuzk_test_support      linked by every test, bench and fuzzer
#   bench/<folder>/*_bench.cpp         -> <folder>_bench
#   bench/<folder>/<name>_tool.cpp     -> <name>                 makes what a benchmark runs on
#   fuzz/<name>_fuzz.cpp               -> <name>_fuzz            links the layer of the parser of that name
#
# Tests of the folders below, slow ones aside, carry the label sanitized, or threaded, too: CI runs those under ASan and
# UBSan, or TSan. Not server and client under TSan: Debian's gRPC is not instrumented and hands memory from thread to thread
# by means that TSan does not see; it reports dozens of races for one call, with our frames on top, and a suppression that
# hides those hides ours.
set(CUZK_SANITIZED_FOLDERS support store memory msm groth16 backend formats capi engine server client)
set(CUZK_THREADED_FOLDERS support store memory backend capi engine)
add_custom_target(sanitized_tests)
add_custom_target(threaded_tests)
add_custom_target(fuzzers)

# A test of folder <layer> links that layer; folders that are no layer (e2e, regressions) link all of them.
# Headers beside the tests are included as "tests/support/file.h".

function(cuzk_test_support)
  if(TARGET cuzk_test_support)
    return()
  endif()
  set(inc ${PROJECT_BINARY_DIR}/inc/tests)
  file(MAKE_DIRECTORY ${inc})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/tests ${inc}/tests SYMBOLIC)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  if(NOT sources)
    set(sources ${PROJECT_BINARY_DIR}/gen/cuzk_test_support_headers_only.cpp)
    file(GENERATE OUTPUT ${sources} CONTENT "// Test support consists of headers.\n")
  endif()
  add_library(cuzk_test_support STATIC ${sources})
  target_include_directories(cuzk_test_support PUBLIC ${inc})
  # In one file alone: what differs between checkouts is compiled anew in each.
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/tests/support/vectors.cpp APPEND PROPERTY
    COMPILE_DEFINITIONS CUZK_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(cuzk_test_support PRIVATE cuzk_warnings PkgConfig::zlib PkgConfig::zstd)
  target_link_libraries(cuzk_test_support PUBLIC cuzk_support)
  if(CUZK_BUILD_TESTS)
    target_link_libraries(cuzk_test_support PUBLIC nlohmann_json::nlohmann_json PRIVATE PkgConfig::zstd ZLIB::ZLIB)
  endif()
endfunction()

function(cuzk_link_folder target folder)
  cuzk_test_support()
  target_link_libraries(${target} PRIVATE cuzk_test_support cuzk_warnings)
  if(TARGET cuzk_${folder})
    target_link_libraries(${target} PRIVATE cuzk_${folder})
  else()
    get_property(layers GLOBAL PROPERTY CUZK_LAYERS)
    list(TRANSFORM layers PREPEND cuzk_)
    target_link_libraries(${target} PRIVATE ${layers})
  endif()
  if(TARGET cuzk_cuda AND folder STREQUAL backend)
    target_link_libraries(${target} PRIVATE cuzk_cuda)
  endif()
endfunction()

function(cuzk_gtest_program target folder labels)
  add_executable(${target} ${ARGN})
  foreach(label sanitized threaded)
    string(TOUPPER ${label} group)
    if(folder IN_LIST CUZK_${group}_FOLDERS AND NOT slow IN_LIST labels)
      list(APPEND labels ${label})
      add_dependencies(${label}_tests ${target})
    endif()
  endforeach()
  cuzk_link_folder(${target} ${folder})
  target_link_libraries(${target} PRIVATE GTest::gmock GTest::gtest_main rapidcheck rapidcheck_gtest PkgConfig::gmp)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O1>)
  # Listed when ctest runs, not when the program is built (cuzk_discover.cmake says why).
  set(listing ${CMAKE_CURRENT_BINARY_DIR}/${target}_list.cmake)
  file(GENERATE OUTPUT ${listing} CONTENT
    "include(\"${PROJECT_SOURCE_DIR}/cmake/cuzk_discover.cmake\")
cuzk_add_discovered_tests(\"$<TARGET_FILE:${target}>\" \"${folder}.\" \"${labels}\"
  WORKING_DIRECTORY \"${PROJECT_SOURCE_DIR}\")\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${listing})
endfunction()

function(cuzk_test_folder folder)
  file(GLOB plain CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*_test.cpp)
  foreach(kind vectors slow)
    set(special ${plain})
    list(FILTER special INCLUDE REGEX "_${kind}_test\\.cpp$")
    list(FILTER plain EXCLUDE REGEX "_${kind}_test\\.cpp$")
    if(special)
      cuzk_gtest_program(${folder}_${kind}_test ${folder} "${folder};${kind}" ${special})
    endif()
  endforeach()
  if(plain)
    cuzk_gtest_program(${folder}_test ${folder} "${folder}" ${plain})
  endif()
endfunction()

function(cuzk_benchmarks)
  file(GLOB folders CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/bench ${PROJECT_SOURCE_DIR}/bench/*)
  foreach(folder IN LISTS folders)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/${folder}/*_bench.cpp)
    if(sources)
      add_executable(${folder}_bench ${sources})
      cuzk_link_folder(${folder}_bench ${folder})
      target_link_libraries(${folder}_bench PRIVATE benchmark::benchmark_main)
    endif()
    file(GLOB tools CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/${folder}/*_tool.cpp)
    foreach(tool IN LISTS tools)
      cmake_path(GET tool STEM name)
      string(REGEX REPLACE "_tool$" "" name ${name})
      add_executable(${name} ${tool})
      cuzk_link_folder(${name} ${folder})
    endforeach()
  endforeach()
endfunction()

function(cuzk_fuzzers)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/*_fuzz.cpp)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM target)
    add_executable(${target} ${source})
    add_dependencies(fuzzers ${target})
    cuzk_test_support()
    string(REGEX REPLACE "_fuzz$" "" parser ${target})
    set(layer formats)
    file(GLOB of_filecoin ${PROJECT_SOURCE_DIR}/src/filecoin/*/${parser}.cpp)
    if(of_filecoin)
      set(layer filecoin)
    endif()
    target_link_libraries(${target} PRIVATE cuzk_test_support cuzk_${layer} cuzk_warnings)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  endforeach()
endfunction()
