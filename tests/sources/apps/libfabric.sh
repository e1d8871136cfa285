#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# libfabric with its verbs provider, and rxm and rxd, which use the verbs provider;
# and its test programs (fabtests), which are in the same source package, with the
# lists of the tests that they exclude for each provider.

. "$(dirname "$0")/recipe.sh"
configure_for_debian --disable-static --enable-only --enable-verbs=yes \
	--enable-rxm=yes --enable-rxd=yes
make_all
# libtool would use the path in it, which is that of the host's library.
rm "$SOURCES_TREE$libdir/libfabric.la"

cd fabtests
./autogen.sh
export CPPFLAGS="$CPPFLAGS -I$SOURCES_TREE/usr/include"
export LDFLAGS="$LDFLAGS -L$SOURCES_TREE$libdir"
# The test programs of other providers are not built.
configure_for_debian --disable-efa --disable-lpp
make_all
