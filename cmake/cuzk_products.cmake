# What is delivered: the program cuzk and the library libcuzk.
if(EXISTS ${PROJECT_SOURCE_DIR}/src/cli/main.cpp)
  add_executable(cuzk_program ${PROJECT_SOURCE_DIR}/src/cli/main.cpp)
  set_target_properties(cuzk_program PROPERTIES OUTPUT_NAME cuzk)
  target_link_libraries(cuzk_program PRIVATE cuzk_cli cuzk_warnings cuzk_hardening)
endif()
