#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Valkey with its RDMA module; the client programs open librdmacm with dlopen().
# Without Debian's jemalloc, TLS and systemd, which the sysroot lacks.

. "$(dirname "$0")/recipe.sh"
options=(MALLOC=libc USE_SYSTEMD=no BUILD_TLS=no BUILD_RDMA=module V=1
	OPTIMIZATION=-O1)
make -C src -j"$jobs" "${options[@]}" \
	valkey-server valkey-cli valkey-benchmark valkey-rdma.so
install -D -t "$SOURCES_TREE/usr/bin" src/valkey-{server,cli,benchmark}
install -D -t "$SOURCES_TREE/usr/lib/valkey" src/valkey-rdma.so

make -C tests/rdma
install -T tests/rdma/rdma-test "$SOURCES_TREE/usr/bin/valkey-rdma-test"
