# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Flags of every target: language, warnings, hardening, sanitizers.
include(CheckCSourceCompiles)

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

add_compile_definitions(_GNU_SOURCE)
if(CMAKE_SIZEOF_VOID_P EQUAL 4)
  # Inode numbers of sysfs and mmap() offsets of a provider have 64 bits. time_t
  # keeps its size: modules of other releases share struct timespec with the
  # library.
  add_compile_definitions(_FILE_OFFSET_BITS=64)
endif()
add_compile_options(
  -fno-common -fno-plt # no PLT: all names are bound at load time, -z now
  -Wall -Wextra -Wno-unused-parameter -Wmissing-prototypes
  -Wstrict-prototypes -Wold-style-definition -Wshadow -Wundef -Wvla
  -Wwrite-strings -Wformat=2 -Wpointer-arith -Wcast-align -Wredundant-decls
  -Wnested-externs -Wimplicit-fallthrough -Wdate-time)
if(CMAKE_C_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Wthread-safety)
endif()
if(ENABLE_WERROR)
  add_compile_options(-Werror)
endif()

if(SANITIZE)
  add_compile_options(-fsanitize=${SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SANITIZE})
else()
  # The symbols of a sanitizer's runtime are resolved at load time, so a
  # sanitizer build cannot use -z defs.
  add_link_options(-Wl,-z,defs)
endif()
add_link_options(-Wl,-z,now -Wl,-z,relro)

# harden_with(PATTERN FLAGS...) - adds the first FLAGS that the compiler supports.
# Flags that match PATTERN in CMAKE_C_FLAGS, those of a distribution, have
# priority.
function(harden_with pattern)
  if(CMAKE_C_FLAGS MATCHES "${pattern}")
    return()
  endif()
  foreach(flags ${ARGN})
    string(MAKE_C_IDENTIFIER "HARDEN_WITH${flags}" supported)
    set(CMAKE_REQUIRED_FLAGS "-O2 -Werror ${flags}")
    check_c_source_compiles("#include <string.h>
      int main(int argc, char **argv) { return (int)strlen(argv[argc - 1]); }"
      ${supported})
    if(${supported})
      separate_arguments(flags)
      add_compile_options(${flags})
      return()
    endif()
  endforeach()
endfunction()

# The checks of a sanitizer replace these. -fcf-protection: the shadow stack, which
# Linux offers since 6.6. No release of Linux checks the targets of indirect
# branches in user space, so "endbr64" would be an instruction without effect at
# the start of each verbs call.
if(ENABLE_HARDENING AND NOT SANITIZE)
  harden_with(stack-protector -fstack-protector-strong)
  harden_with(stack-clash -fstack-clash-protection)
  harden_with(cf-protection -fcf-protection=return) # x86
  harden_with(branch-protection -mbranch-protection=standard) # arm64
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug") # needs optimization
    harden_with(FORTIFY_SOURCE "-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3"
                               "-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2")
  endif()
endif()

# harden_calls(TARGET...) - for the code that verbs calls run. There the stack
# protector is only in functions with an array of bytes. -strong is also in each
# function that takes the address of a local variable, 6 instructions each. It
# would cost 32 in an ibv_post_send() of uroce, and 50 in an ibv_poll_cq() that
# finds nothing.
function(harden_calls)
  get_directory_property(options COMPILE_OPTIONS)
  if("${options}" MATCHES "-fstack-protector-strong")
    foreach(target ${ARGN})
      target_compile_options(${target} PRIVATE -fstack-protector)
    endforeach()
  endif()
endfunction()
