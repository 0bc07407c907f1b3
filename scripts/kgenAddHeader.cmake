# SPDX-License-Identifier: MIT
# kgen_add_header(TARGET SPEC... [NAME NAME])
#
# Generates NAME.h, the layout of a spec of `kernel: none`, and NAME.json, the plan, when TARGET is built, and lets TARGET's sources
# include them. NAME is the spec's `name:`, or else its file's name; give it here if the spec's `name:` does not begin a line.
#
# They are generated again when the spec, a template or kgen changed. A header that would not change keeps its modification time, so
# that nothing that includes it is compiled again. An error in the spec fails the build, with its line.
function(kgen_add_header target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME" "")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "kgen_add_header: ${target} is no target")
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    message(FATAL_ERROR "kgen_add_header: ${target} is an INTERFACE library, which is not built: name a target that is")
  endif()
  if(NOT arg_UNPARSED_ARGUMENTS OR (arg_NAME AND NOT arg_UNPARSED_ARGUMENTS MATCHES "^[^;]+$"))
    message(FATAL_ERROR "kgen_add_header: give a target and specs; NAME is for one spec")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/kgen/${target}")
  get_property(template_dir GLOBAL PROPERTY KGEN_TEMPLATE_DIR)
  file(GLOB templates LIST_DIRECTORIES false CONFIGURE_DEPENDS "${template_dir}/*")
  foreach(spec IN LISTS arg_UNPARSED_ARGUMENTS)
    get_filename_component(spec "${spec}" ABSOLUTE)
    get_filename_component(name "${spec}" NAME_WE)
    if(arg_NAME)
      set(name "${arg_NAME}")
    elseif(EXISTS "${spec}")
      file(STRINGS "${spec}" line REGEX "^name:" LIMIT_COUNT 1)
      if(line MATCHES "^name:[ \t]*[\"']?([A-Za-z_][A-Za-z0-9_]*)")
        set(name "${CMAKE_MATCH_1}")
      endif()
    endif()
    add_custom_command(
      OUTPUT "${folder}/${name}.stamp"
      BYPRODUCTS "${folder}/${name}.h" "${folder}/${name}.json"
      COMMAND kgen::kgen --quiet --templates "${template_dir}" -o "${folder}" "${spec}"
      COMMAND "${CMAKE_COMMAND}" -D "SPEC=${spec}" -D "HEADER=${folder}/${name}.h"
              -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/kgenCheckHeader.cmake"
      COMMAND "${CMAKE_COMMAND}" -E touch "${folder}/${name}.stamp"
      DEPENDS "${spec}" ${templates} "$<TARGET_FILE:kgen::kgen>"
      COMMENT "kgen: ${name}.h"
      VERBATIM)
    target_sources(${target} PRIVATE "${folder}/${name}.stamp")
  endforeach()
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()
