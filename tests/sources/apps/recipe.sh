# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# What the recipes of this folder have in common. build_sources starts each in
# a copy of the source, with CC and flags for the sysroot ($SOURCES_SYSROOT) and
# the folder to install into ($SOURCES_TREE) in its environment.

set -euo pipefail

jobs=$(nproc)
libdir=/usr/lib/$(gcc -print-multiarch)

# configure_for_debian OPTION... - the paths of Debian. Headers are read once, so
# that the compiler is free to write down what it read.
configure_for_debian() {
	./configure --prefix=/usr --libdir="$libdir" \
		--disable-dependency-tracking "$@"
}

# make_all [ARG]...
make_all() {
	make -j"$jobs" "$@"
	make install DESTDIR="$SOURCES_TREE" "$@"
}
