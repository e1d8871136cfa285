# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Shared by the recipes of this folder. build_sources starts each recipe in a
# copy of the source, with CC and flags for the sysroot ($SOURCES_SYSROOT) and
# the folder to install into ($SOURCES_TREE) in its environment.

set -euo pipefail

jobs=$(nproc)
libdir=/usr/lib/$(gcc -print-multiarch)

# configure_for_debian OPTION... - uses Debian's paths, and disables dependency
# tracking, so that the compiler can write the list of headers.
configure_for_debian() {
	./configure --prefix=/usr --libdir="$libdir" \
		--disable-dependency-tracking "$@"
}

# make_all [ARG]...
make_all() {
	make -j"$jobs" "$@"
	make install DESTDIR="$SOURCES_TREE" "$@"
}
