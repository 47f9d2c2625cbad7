# Runs inside ctest: each line that `command --list` prints is a test of its own, run by `command NAME`.
function(cuzk_add_listed_tests prefix command environment)
  execute_process(COMMAND env ${environment} ${command} --list
    OUTPUT_VARIABLE names RESULT_VARIABLE status TIMEOUT 60)
  if(NOT status EQUAL 0)
    add_test("${prefix}.LISTING_FAILED" ${command} --list)
    set_tests_properties("${prefix}.LISTING_FAILED" PROPERTIES LABELS oracle ENVIRONMENT "${environment}")
    return()
  endif()
  string(STRIP "${names}" names)
  string(REPLACE "\n" ";" names "${names}")
  foreach(name IN LISTS names)
    add_test("${prefix}.${name}" ${command} "${name}")
    set_tests_properties("${prefix}.${name}" PROPERTIES LABELS oracle FIXTURES_REQUIRED oracle_packages TIMEOUT 600
      ENVIRONMENT "${environment}")
  endforeach()
endfunction()
