# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# verbs_merge_objects(SOURCE_VAR NAME OBJECTS target... KEEP pattern...)
#
# Links object libraries into one relocatable object in which only the names that
# match a pattern stay global, so that internal names of an archive do not collide
# with those of an application. SOURCE_VAR receives a source for add_library().
function(verbs_merge_objects source_var name)
  cmake_parse_arguments(M "" "" "OBJECTS;KEEP" ${ARGN})
  set(merged ${CMAKE_CURRENT_BINARY_DIR}/${name}_merged.o)
  set(objects "")
  foreach(target ${M_OBJECTS})
    list(APPEND objects $<TARGET_OBJECTS:${target}>)
  endforeach()
  set(keep "")
  foreach(pattern ${M_KEEP})
    list(APPEND keep "--keep-global-symbol=${pattern}")
  endforeach()
  add_custom_command(
    OUTPUT ${merged}
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${merged} ${objects}
    COMMAND ${CMAKE_OBJCOPY} --wildcard ${keep} ${merged}
    DEPENDS ${M_OBJECTS} ${objects}
    COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Merging the objects of ${name}")
  set_source_files_properties(${merged} PROPERTIES
    EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set(${source_var} ${merged} PARENT_SCOPE)
endfunction()
