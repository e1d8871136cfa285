# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Builds for another machine with Debian's cross compiler and the libraries that
# cross_root unpacked:
#
#   cmake -DCMAKE_TOOLCHAIN_FILE=tests/cross/toolchain.cmake
#         -DCROSS_ARCH=arm64 -DCROSS_ROOT=DIR
#
# CROSS_ARCH is Debian's name of the machine. Programs run under qemu-user, with
# the C library of the root, which may be newer than that of the compiler.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CROSS_ARCH CROSS_ROOT)

# Names of the machine for the compiler, the folders and qemu.
if(CROSS_ARCH STREQUAL "arm64")
  set(cpu aarch64)
elseif(CROSS_ARCH STREQUAL "i386")
  set(cpu i686)
elseif(CROSS_ARCH MATCHES "^(riscv64|s390x)$")
  set(cpu ${CROSS_ARCH})
else()
  message(FATAL_ERROR "set CROSS_ARCH to arm64, i386, riscv64 or s390x")
endif()
string(REPLACE i686 i386 folder_cpu ${cpu})
set(cross_libdir ${CROSS_ROOT}/usr/lib/${folder_cpu}-linux-gnu)
if(NOT EXISTS ${cross_libdir}/libc.so.6)
  message(FATAL_ERROR "set CROSS_ROOT to the root that cross_root printed")
endif()

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${cpu})
set(CMAKE_C_COMPILER ${cpu}-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE ${folder_cpu}-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${folder_cpu} -L ${CROSS_ROOT})

# Libraries come only from the root, programs only from this machine.
set(CMAKE_FIND_ROOT_PATH ${CROSS_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${cross_libdir}/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CROSS_ROOT})

# A library of the root may need a newer C library than the compiler has;
# programs run with the newer one, and -z defs detects our own undefined names.
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,--allow-shlib-undefined)
