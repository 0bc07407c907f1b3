# SPDX-License-Identifier: MIT
# kgen_add_header runs this after a spec was solved, to check that it made the header whose name was read when CMake ran.
if(NOT EXISTS "${HEADER}")
  message(FATAL_ERROR "${SPEC} did not make ${HEADER}: its name changed (run cmake again, or give NAME), "
                      "or its kernel is not `none`, so that it makes a .cu")
endif()
