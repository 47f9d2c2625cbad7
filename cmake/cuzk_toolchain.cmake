# Compiler, flags and tools that hold for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Everything may end up in libcuzk, and only what the C headers mark is visible from outside.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

# Each header of a layer compiles alone (target all_verify_interface_header_sets).
set(CMAKE_VERIFY_INTERFACE_HEADER_SETS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(CUZK_CCACHE ccache)
if(CUZK_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths below the source folder count as relative, and that folder's own does not count: all checkouts share one cache.
  set(CMAKE_C_COMPILER_LAUNCHER env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CUZK_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
endif()
find_program(CUZK_LLD ld.lld)
if(CUZK_LLD)
  add_link_options(-fuse-ld=lld)
endif()
add_link_options(-Wl,--as-needed -Wl,-z,relro,-z,now)

include(CheckPIESupported)
check_pie_supported(LANGUAGES C CXX)

add_library(cuzk_warnings INTERFACE)
target_compile_options(cuzk_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wimplicit-fallthrough -Werror
  $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast$<SEMICOLON>-Wnon-virtual-dtor$<SEMICOLON>-Woverloaded-virtual>
  # clang alone: empty variadic macros are fine in C++20; `|` between booleans is how a branch is avoided on purpose.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-gnu-zero-variadic-macro-arguments$<SEMICOLON>-Wno-bitwise-instead-of-logical>)

# Checks that cost time in inner loops stay out of the arithmetic layers.
add_library(cuzk_hardening INTERFACE)
if(NOT CUZK_SANITIZE)
  target_compile_options(cuzk_hardening INTERFACE
    $<$<CONFIG:Release>:-fstack-protector-strong$<SEMICOLON>-U_FORTIFY_SOURCE$<SEMICOLON>-D_FORTIFY_SOURCE=2>
    $<$<CONFIG:Release>:-D_GLIBCXX_ASSERTIONS>)
endif()

if(CUZK_SANITIZE)
  add_compile_options(-fsanitize=${CUZK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CUZK_SANITIZE})
endif()
if(CUZK_BUILD_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    message(FATAL_ERROR "libFuzzer comes with clang alone: use the preset 'fuzz'")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()
if(CUZK_COVERAGE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
    add_link_options(-fprofile-instr-generate)
  else()
    add_compile_options(--coverage -fprofile-update=atomic)
    add_link_options(--coverage)
  endif()
endif()

if(CUZK_PARALLEL STREQUAL threads)
  add_compile_definitions(CUZK_PARALLEL_THREADS=1)
elseif(NOT CUZK_PARALLEL STREQUAL tbb)
  message(FATAL_ERROR "CUZK_PARALLEL is '${CUZK_PARALLEL}', expected tbb or threads")
endif()
