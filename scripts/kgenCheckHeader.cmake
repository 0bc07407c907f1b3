# Run by kgen_add_header when a spec was solved: whether it made the header that was named when CMake ran.
if(NOT EXISTS "${HEADER}")
  message(FATAL_ERROR "${SPEC} did not make ${HEADER}: its name changed (run cmake again, or give NAME), "
                      "or its kernel is not `none`, so that it makes a .cu")
endif()
