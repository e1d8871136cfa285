#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# UCX with its transports over verbs and librdmacm; without GPUs, bindings and
# tests.

. "$(dirname "$0")/recipe.sh"
usr=$SOURCES_SYSROOT/usr
configure_for_debian --disable-static --enable-compiler-opt=1 --enable-mt \
	--with-verbs="$usr" --with-rdmacm="$usr" --disable-numa \
	--disable-doxygen-doc --without-{go,java,cuda,rocm,knem,xpmem,fuse3,ugni}
for part in ucm ucs uct ucp tools/info tools/perf; do
	make_all -C src/$part
done
