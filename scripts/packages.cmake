# SPDX-License-Identifier: MIT
# Debian packages by CPack: their metadata, and the files that only packages have. scripts/package builds and checks them. kgen holds
# the command, the shared library and the templates, libkgen-dev what compiling against the library needs, python3-kgen the module.
set(CPACK_PACKAGE_NAME kgen)
set(CPACK_PACKAGE_VENDOR kgen)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "conflict-free shared memory for CUDA kernels")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL command development python)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# NAME <ADDRESS> of whoever makes the packages: scripts/package takes it from the environment.
set(KGEN_MAINTAINER "" CACHE STRING "Maintainer of the Debian packages: NAME <ADDRESS>")
if(NOT KGEN_MAINTAINER MATCHES "^[^<>]+ <[^<>@ ]+@[^<>@ ]+>$")
  message(FATAL_ERROR "Debian packages need a maintainer: -DKGEN_MAINTAINER='NAME <ADDRESS>', not '${KGEN_MAINTAINER}'")
endif()
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${KGEN_MAINTAINER}")
if(KGEN_URL)
  set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "${KGEN_URL}")
endif()
# Files have the time of the release, so that two builds give the same bytes.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/scripts/debian/times.cmake)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(version ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME kgen)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS nvidia-cuda-toolkit)
set(CPACK_DEBIAN_COMMAND_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/scripts/debian/triggers)
set(CPACK_DEBIAN_COMMAND_DESCRIPTION
"Finds the smallest padding or XOR swizzle of a shared-memory tile that lets
every warp-wide access hit the banks evenly, proves that nothing smaller does,
and writes the CUDA kernel or the index function. Checks existing
kernels and programs on an emulator of PTX, which needs no GPU.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libkgen-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "kgen (= ${version}), libc6-dev, libyaml-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
"The header, the archive, the CMake package and the pkg-config file of libkgen,
which computes and evaluates shared-memory layouts and lints CUDA kernels.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-kgen)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "kgen (>= ${version}), python3 (>= 3.9)")
set(CPACK_DEBIAN_PYTHON_DESCRIPTION
"Computes, evaluates and draws shared-memory layouts, and lints CUDA kernels, by
way of libkgen.")

# --- what Debian's policy asks for ---
string(TIMESTAMP KGEN_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC) # $SOURCE_DATE_EPOCH, if it is set
set(folder ${PROJECT_BINARY_DIR}/debian)
configure_file(scripts/debian/changelog.in ${folder}/changelog @ONLY)

function(kgen_compress from to)
  add_custom_command(OUTPUT ${folder}/${to} COMMAND gzip -9nc ${from} > ${folder}/${to} DEPENDS ${from} VERBATIM)
  set_property(GLOBAL APPEND PROPERTY KGEN_COMPRESSED ${folder}/${to})
endfunction()
kgen_compress(${folder}/changelog changelog.Debian.gz)
kgen_compress(${PROJECT_SOURCE_DIR}/CHANGELOG.md changelog.gz)
foreach(page ${KGEN_MAN_PAGES})
  kgen_compress(${KGEN_PAGES}/${page} ${page}.gz)
  list(APPEND KGEN_MAN_FILES ${folder}/${page}.gz)
endforeach()
get_property(files GLOBAL PROPERTY KGEN_COMPRESSED)
add_custom_target(debian_files ALL DEPENDS ${files})
add_dependencies(debian_files pages)

install(FILES ${KGEN_MAN_FILES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
install(FILES scripts/debian/overrides DESTINATION share/lintian/overrides RENAME kgen COMPONENT command)
foreach(pair command:kgen development:libkgen-dev python:python3-kgen)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 component)
  list(GET pair 1 package)
  install(FILES scripts/debian/copyright ${folder}/changelog.Debian.gz ${folder}/changelog.gz
          DESTINATION share/doc/${package} COMPONENT ${component})
endforeach()
install(DIRECTORY python/kgen DESTINATION lib/python3/dist-packages COMPONENT python
        PATTERN __pycache__ EXCLUDE)

include(CPack)
