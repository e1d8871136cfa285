#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# fio, whose rdma engine is built if its configure script (not autoconf's) finds
# libibverbs and librdmacm. The guest's processor differs from the host's.

. "$(dirname "$0")/recipe.sh"
./configure --prefix=/usr --cc="$CC" --disable-native \
	--extra-cflags="$CPPFLAGS $CFLAGS"
grep -x 'CONFIG_RDMA=y' config-host.mak
make -j"$jobs" fio
install -D -t "$SOURCES_TREE/usr/bin" fio
