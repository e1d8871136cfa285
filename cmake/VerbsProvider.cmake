# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# verbs_provider(NAME SOURCES file... [NO_INSTALL] [AS_ONE] [LIBS target...]
#                [OPT_IN variable file])
#
# Everything that one provider needs to be built, loaded and linked:
#   provider_NAME_objects  its objects; unit tests link them
#   provider_NAME          the module libNAME-anyverbs<abi>.so, which exports
#                          verbs_provider_NAME and nothing else; in the build
#                          tree it is in lib/libibverbs/, beside the library
#   provider_NAME_static   with ENABLE_STATIC: libNAME-anyverbs<abi>.a, one
#                          object with that one global symbol
#   NAME.driver            the line "driver NAME" that makes the library look
#                          for the module; none with OPT_IN
# LIBS is what the provider needs besides the library itself.
#
# AS_ONE is for a provider whose data path spans many files: where gcc supports it,
# the module, but not the archive, is optimized at link time.
#
# OPT_IN is for a provider of devices that the kernel does not have. The library
# loads it if the environment variable is set or the configuration file exists
# (core/provider_load.c). The global property VERBS_OPT_IN collects the rows of
# that table.
#
# The global property VERBS_PROVIDERS lists the installed providers, and
# VERBS_PROVIDERS_BUILT all of them, in the order of the calls.

include(CheckCCompilerFlag)
include(CheckIPOSupported)
include(MergeObjects)

# A sanitizer build stays without link-time optimization, so that its reports name
# the functions of the source. A cross build does as well, since
# check_ipo_supported() ignores the settings of the toolchain file.
set(VERBS_AS_ONE OFF)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT SANITIZE AND
   NOT CMAKE_CROSSCOMPILING)
  check_ipo_supported(RESULT VERBS_AS_ONE OUTPUT unused LANGUAGES C)
endif()

# x86: gcc clears a struct by "rep stos", whose start-up takes as long as processing
# a packet.
set(VERBS_AVOID_REP_STOS
    -mmemset-strategy=unrolled_loop:512:noalign,libcall:-1:noalign)
check_c_compiler_flag(${VERBS_AVOID_REP_STOS} VERBS_CAN_AVOID_REP_STOS)

# The other providers clear structs only when they create an object: memset() is
# shorter than a loop in place.
set(VERBS_CALL_MEMSET -mmemset-strategy=unrolled_loop:64:noalign,libcall:-1:noalign)
check_c_compiler_flag(${VERBS_CALL_MEMSET} VERBS_CAN_CALL_MEMSET)

# An install rule with an absolute path would not follow another prefix, so a
# path below the prefix is made relative to it.
function(verbs_below_prefix path result)
  string(FIND "${path}/" "${CMAKE_INSTALL_PREFIX}/" start)
  if(start EQUAL 0)
    string(LENGTH "${CMAKE_INSTALL_PREFIX}/" length)
    string(SUBSTRING "${path}" ${length} -1 path)
  endif()
  set(${result} "${path}" PARENT_SCOPE)
endfunction()

# The archive has one object with one global name.
function(_verbs_provider_archive name)
  verbs_merge_objects(merged provider_${name}
    OBJECTS provider_${name}_objects KEEP verbs_provider_${name})
  add_library(provider_${name}_static STATIC ${merged})
  set_target_properties(provider_${name}_static PROPERTIES
    OUTPUT_NAME ${name}-anyverbs${ANYVERBS_ABI}
    LINKER_LANGUAGE C
    ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
endfunction()

# The same objects in the format for link-time optimization. The archive contains
# ordinary objects, so that any compiler can link it.
function(_verbs_provider_as_one name sources libs)
  add_library(provider_${name}_as_one OBJECT ${sources})
  target_link_libraries(provider_${name}_as_one PRIVATE ${libs})
  foreach(kind INCLUDE_DIRECTORIES COMPILE_DEFINITIONS)
    set_property(TARGET provider_${name}_as_one PROPERTY
      ${kind} $<TARGET_PROPERTY:provider_${name}_objects,${kind}>)
  endforeach()
  target_compile_options(provider_${name}_as_one PRIVATE
    $<$<NOT:$<CONFIG:Debug>>:-O3>
    $<$<BOOL:${VERBS_CAN_AVOID_REP_STOS}>:${VERBS_AVOID_REP_STOS}>)
  harden_calls(provider_${name}_as_one)
  set_target_properties(provider_${name}_as_one PROPERTIES
    C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON
    INTERPROCEDURAL_OPTIMIZATION ON)
endfunction()

function(verbs_provider name)
  cmake_parse_arguments(P "NO_INSTALL;AS_ONE" "" "SOURCES;LIBS;OPT_IN" ${ARGN})

  add_library(provider_${name}_objects OBJECT ${P_SOURCES})
  set_target_properties(provider_${name}_objects PROPERTIES
    C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
  harden_calls(provider_${name}_objects)
  if(VERBS_CAN_CALL_MEMSET AND NOT P_AS_ONE)
    target_compile_options(provider_${name}_objects PRIVATE ${VERBS_CALL_MEMSET})
  endif()
  target_include_directories(provider_${name}_objects PRIVATE
    ${PROJECT_SOURCE_DIR}/providers)
  target_link_libraries(provider_${name}_objects PRIVATE ${P_LIBS})

  set(map ${CMAKE_CURRENT_BINARY_DIR}/${name}_provider.map)
  file(CONFIGURE OUTPUT ${map} @ONLY
       CONTENT "{ global: verbs_provider_@name@; local: *; };\n")
  add_library(provider_${name} MODULE)
  set(objects provider_${name}_objects)
  if(P_AS_ONE AND VERBS_AS_ONE)
    _verbs_provider_as_one(${name} "${P_SOURCES}" "${P_LIBS}")
    set_property(TARGET provider_${name} PROPERTY
      INTERPROCEDURAL_OPTIMIZATION ON)
    set(objects provider_${name}_as_one)
  endif()
  target_link_libraries(provider_${name} PRIVATE
    ${objects} ibverbs ${P_LIBS} Threads::Threads)
  target_link_options(provider_${name} PRIVATE
    -Wl,--version-script=${map} -Wl,--no-undefined-version)
  # The library that loads the module is in the process, so the module needs no
  # RPATH. CMake would add an empty element to it, the current directory.
  set_target_properties(provider_${name} PROPERTIES
    SKIP_BUILD_RPATH ON
    OUTPUT_NAME ${name}-anyverbs${ANYVERBS_ABI}
    LINKER_LANGUAGE C
    LINK_DEPENDS ${map}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/libibverbs)

  if(ENABLE_STATIC)
    _verbs_provider_archive(${name})
  endif()

  if(P_OPT_IN)
    list(GET P_OPT_IN 0 variable)
    list(GET P_OPT_IN 1 file)
    set_property(GLOBAL APPEND_STRING PROPERTY VERBS_OPT_IN
                 "{ \"${name}\", \"${variable}\", \"${file}\" },")
  else()
    set(driver ${CMAKE_BINARY_DIR}/libibverbs.d/${name}.driver)
    file(CONFIGURE OUTPUT ${driver} @ONLY CONTENT "driver @name@\n")
  endif()
  set_property(GLOBAL APPEND PROPERTY VERBS_PROVIDERS_BUILT ${name})
  if(P_NO_INSTALL)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY VERBS_PROVIDERS ${name})
  verbs_below_prefix("${VERBS_PROVIDER_DIR}" module_dir)
  verbs_below_prefix("${IBV_CONFIG_DIR}" config_dir)
  install(TARGETS provider_${name} LIBRARY DESTINATION ${module_dir})
  if(driver)
    install(FILES ${driver} DESTINATION ${config_dir})
  endif()
  if(ENABLE_STATIC)
    install(TARGETS provider_${name}_static
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endfunction()
