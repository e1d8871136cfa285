# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Flags of every target: language, warnings, hardening, sanitizers.
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
