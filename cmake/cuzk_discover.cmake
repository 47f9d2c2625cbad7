# Runs inside ctest: lists the tests of one GoogleTest program and adds each as an entry of its own.
#
# CMake's gtest_discover_tests keeps the list until the program changes and loses all labels but the last; data-driven
# tests need a fresh list (CUZK_VECTORS may name other folders each time) and two labels.
function(cuzk_add_discovered_tests program prefix labels)
  if(NOT EXISTS "${program}")
    add_test("${prefix}NOT_BUILT" "${program}")
    return()
  endif()
  execute_process(COMMAND "${program}" --gtest_list_tests OUTPUT_VARIABLE listing RESULT_VARIABLE status TIMEOUT 120)
  if(NOT status EQUAL 0)
    add_test("${prefix}LISTING_FAILED" "${program}" --gtest_list_tests)
    return()
  endif()
  set(leaks "LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/leaks.supp:print_suppressions=0")
  string(REPLACE "\n" ";" lines "${listing}")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE " +#.*" "" name "${line}")
    if(name MATCHES "^  ([^ ]+)$")
      set(name "${suite}${CMAKE_MATCH_1}")
      add_test("${prefix}${name}" "${program}" "--gtest_filter=${name}")
      set_tests_properties("${prefix}${name}" PROPERTIES
        LABELS "${labels}" TIMEOUT 600 SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]"
        ENVIRONMENT "ASAN_OPTIONS=detect_stack_use_after_return=1;UBSAN_OPTIONS=print_stacktrace=1;${leaks}" ${ARGN})
    elseif(name MATCHES "^[^ ]+\\.$")
      set(suite "${name}")
    endif()
  endforeach()
endfunction()
