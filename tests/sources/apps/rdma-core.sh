#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# librdmacm and its programs. rdma-core's build system uses only its own
# libibverbs. So it only compiles the objects, after our headers have replaced
# its own, and this script links them. The remaining headers of infiniband/ are
# private (driver.h, marshall.h, kern-abi.h), and are compiled together with our
# public ones.

. "$(dirname "$0")/recipe.sh"

# objects PATTERN - prints compiled objects.
objects() {
	grep -E "^$1" objects
}

# link_with ARG... - uses the flags of libibverbs.pc.
link_with() {
	# shellcheck disable=SC2046 # words
	"$CC" "$@" $(pkg-config --libs libibverbs) -pthread
}

headers=$SOURCES_SYSROOT/usr/include
lib=$SOURCES_TREE$libdir
source=$PWD
mkdir -p "$lib" "$SOURCES_TREE"/usr/{bin,include/infiniband,include/rdma}

cmake -S . -B b -G Ninja -DCMAKE_C_COMPILER="$CC" -DCMAKE_BUILD_TYPE=None \
	-DCMAKE_INSTALL_PREFIX=/usr -DNO_MAN_PAGES=1 -DNO_PYVERBS=1
cd b
for file in "$headers"/infiniband/*.h; do
	name=$(basename "$file")
	# Debian's libibumad-dev is in the sysroot too; this build uses its own.
	case $name in
	umad*) ;;
	*) ln -sf "$file" include/infiniband/ ;;
	esac
done
ninja -t targets all | sed -n 's/^\(\(librdmacm\|util\|ccan\)\/.*\.o\): .*/\1/p' |
	grep -v /tests/ >objects
xargs ninja -j"$jobs" <objects
# Ninja stores the lists of headers in its own database.
xargs ninja -t deps <objects >"$SOURCES_SEEN/ninja.headers"

mapfile -t parts < <(
	objects 'librdmacm/CMakeFiles/rdmacm.dir/'
	objects '(util|ccan)/CMakeFiles/.*_pic.dir/'
)
link_with -shared -o "$lib/librdmacm.so.1" -Wl,-soname,librdmacm.so.1 \
	-Wl,--version-script="$source/librdmacm/librdmacm.map" -Wl,-z,defs \
	"${parts[@]}" -lnl-3 -lnl-route-3
ln -sfn librdmacm.so.1 "$lib/librdmacm.so"

common=librdmacm/examples/CMakeFiles/rdmacm_tools.dir/
for folder in librdmacm/examples/CMakeFiles/*.dir/; do
	[ "$folder" != "$common" ] || continue
	mapfile -t parts < <(objects "$folder"; objects "$common")
	link_with -o "$SOURCES_TREE/usr/bin/$(basename "$folder" .dir)" \
		"${parts[@]}" -L"$lib" -lrdmacm
done

cp "$source"/librdmacm/ib.h "$SOURCES_TREE/usr/include/infiniband"
cp "$source"/librdmacm/{rdma_cma,rdma_cma_abi,rdma_verbs,rsocket}.h \
	"$SOURCES_TREE/usr/include/rdma"
