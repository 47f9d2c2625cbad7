# The CUDA backend: the library cuzk_cuda and the programs that check it on a device, where nvcc is found. Who links it
# is told so (CUZK_WITH_CUDA). Nothing else needs a toolkit, and nothing here needs a device to be built.
#
# One architecture by default, CUZK_CUDA_ARCHITECTURES for others; each costs its compile time again.
option(CUZK_CUDA "Build the CUDA kernels where nvcc is found" ON)
set(CUZK_CUDA_ARCHITECTURES 90 CACHE STRING "Compute capabilities to compile for, for example 80;90")
if(NOT CUZK_CUDA OR CUZK_SANITIZE OR CUZK_COVERAGE)
  unset(CUZK_NVCC CACHE)
  return()
endif()
find_program(CUZK_NVCC nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda/bin)
if(NOT CUZK_NVCC)
  message(STATUS "No nvcc: without the CUDA kernels")
  return()
endif()
set(CMAKE_CUDA_COMPILER ${CUZK_NVCC})
set(CMAKE_CUDA_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/cmake/keep_ptxas_log ${CMAKE_CXX_COMPILER_LAUNCHER})
set(CMAKE_CUDA_ARCHITECTURES ${CUZK_CUDA_ARCHITECTURES})
enable_language(CUDA)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know it of nvcc 13
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
find_package(CUDAToolkit REQUIRED)

function(cuzk_cuda_options target)
  # 1675: pragmas of g++ in the host's headers. Registers and spills of each kernel go into the log (cuda.kernels).
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:-O3 --expt-relaxed-constexpr -diag-suppress 1675 -Xptxas -v>)
endfunction()

function(cuzk_cuda_kernels)
  set(src ${PROJECT_SOURCE_DIR}/src/backend/cuda)
  file(GLOB sources CONFIGURE_DEPENDS ${src}/*.cu ${src}/*.cpp)
  add_library(cuzk_cuda STATIC ${sources})
  target_link_libraries(cuzk_cuda PUBLIC cuzk_backend CUDA::cudart_static)
  target_compile_definitions(cuzk_cuda INTERFACE CUZK_WITH_CUDA)
  cuzk_cuda_options(cuzk_cuda)
endfunction()

# Registers and spills of each kernel, against what they may be on the architecture that the limits are of.
function(cuzk_check_kernels)
  if(NOT CUZK_CUDA_ARCHITECTURES STREQUAL 90)
    return()
  endif()
  set(checks ${PROJECT_SOURCE_DIR}/tests/device)
  add_test(NAME cuda.kernels COMMAND Python3::Interpreter -B ${checks}/check_kernels.py ${checks}/kernels.limits
    $<TARGET_OBJECTS:cuzk_cuda> COMMAND_EXPAND_LISTS)
  set_tests_properties(cuda.kernels PROPERTIES LABELS cuda)
endfunction()

# What only a device can show; programs without the libraries of the tests (tools/device-check runs them).
function(cuzk_device_check)
  cuzk_test_support()
  set(checks ${PROJECT_SOURCE_DIR}/tests/device)
  file(GLOB parts CONFIGURE_DEPENDS ${checks}/*_check.cpp ${checks}/*.cu)
  list(REMOVE_ITEM parts ${checks}/backend_check.cpp)
  add_executable(device_check ${parts})
  add_executable(backend_check ${checks}/backend_check.cpp)
  foreach(program device_check backend_check)
    target_link_libraries(${program} PRIVATE cuzk_cuda cuzk_test_support)
    cuzk_cuda_options(${program})
  endforeach()
endfunction()
