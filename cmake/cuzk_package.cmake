# The Debian package `cuzk`: the program with its service, configuration, man page and documents. `cpack` in a build
# folder makes it (packaging/ has what goes in; docs/operations.md says what it does). Only the package has these files;
# `make install` lays down program and library.
if(NOT TARGET cuzk_program)
  return()
endif()

set(debian ${PROJECT_SOURCE_DIR}/packaging/debian)
find_program(CUZK_GZIP gzip REQUIRED)
foreach(page cuzk.1 debian/changelog)
  cmake_path(GET page FILENAME name)
  add_custom_command(
    OUTPUT ${PROJECT_BINARY_DIR}/gen/package/${name}.gz
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/gen/package
    COMMAND sh -c "${CUZK_GZIP} -9nc ${PROJECT_SOURCE_DIR}/packaging/${page} > ${PROJECT_BINARY_DIR}/gen/package/${name}.gz"
    DEPENDS ${PROJECT_SOURCE_DIR}/packaging/${page}
    VERBATIM)
  list(APPEND compressed ${PROJECT_BINARY_DIR}/gen/package/${name}.gz)
endforeach()
add_custom_target(package_files ALL DEPENDS ${compressed})

function(cuzk_package_files destination)
  install(FILES ${ARGN} DESTINATION ${destination} COMPONENT program EXCLUDE_FROM_ALL)
endfunction()
cuzk_package_files(/usr/lib/systemd/system packaging/cuzk.service)
install(FILES packaging/cuzk.example.toml DESTINATION /etc/cuzk RENAME cuzk.toml COMPONENT program EXCLUDE_FROM_ALL)
cuzk_package_files(/usr/share/man/man1 ${PROJECT_BINARY_DIR}/gen/package/cuzk.1.gz)
file(GLOB documents CONFIGURE_DEPENDS docs/api.md docs/client.md docs/configuration.md docs/dashboard.md docs/faults.md
     docs/http.md docs/operations.md)
cuzk_package_files(/usr/share/doc/cuzk packaging/cuzk.example.toml ${debian}/copyright ${documents}
                   ${PROJECT_BINARY_DIR}/gen/package/changelog.gz)

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/package)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME cuzk)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The cuzk authors <cuzk@users.noreply.invalid>")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION utils)
# Below the project's own line.
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
"The program cuzk makes and verifies Groth16 proofs over BN254 and BLS12-381:
for circuits of circom, and the PoRep, WinningPoSt, WindowPoSt and SnapDeals
proofs of Filecoin.
.
It works on files, or as a service over gRPC and HTTP that keeps keys in
memory, stays within a memory budget, and loses no job that it has accepted.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS adduser)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA ${debian}/postinst ${debian}/prerm ${debian}/postrm ${debian}/conffiles)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
