# The files of web/ as data in a library of its own (tools/embed_web.py writes it), so that the program needs no file
# beside it.
set(gen ${PROJECT_BINARY_DIR}/gen/web)
file(GLOB web_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/*)
file(MAKE_DIRECTORY ${gen}/web)

add_custom_command(
  OUTPUT ${gen}/web/files.h ${gen}/files.cpp
  COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/embed_web.py ${gen} ${web_files}
  DEPENDS ${web_files} ${PROJECT_SOURCE_DIR}/tools/embed_web.py
  COMMENT "Embedding web/"
  VERBATIM)
add_library(cuzk_web STATIC ${gen}/files.cpp ${gen}/web/files.h)
target_include_directories(cuzk_web SYSTEM PUBLIC ${gen})
