#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What an inbox of the user-space device costs, beside a cache line and beside
# process_vm_writev: inbox_bench.sh. Needs a C compiler and two processors that
# have nothing else to do.
set -eu

top=$(realpath "$(dirname "$0")/../..")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
uroce=$top/providers/uroce
"${CC:-cc}" -O2 -std=gnu11 -D_GNU_SOURCE -I"$top/providers" \
	-I"$top/libibverbs" -o "$scratch/bench" "$top/tests/bench/inbox_bench.c" \
	"$uroce/local/uroce_inbox.c" "$uroce/local/uroce_inbox_memory.c" \
	"$uroce/wire/uroce_wire.c"
timeout 300 "$scratch/bench"
