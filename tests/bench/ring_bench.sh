#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Cost of a ring of the user-space device, compared with a cache line and with
# process_vm_writev: ring_bench.sh [RESULT] writes the numbers for a plot to
# RESULT (README.md). Needs a C compiler and two idle processors.
set -eu

top=$(realpath "$(dirname "$0")/../..")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
uroce=$top/providers/uroce
"${CC:-cc}" -O2 -std=gnu11 -D_GNU_SOURCE -I"$top/providers" \
	-I"$top/libibverbs" -o "$scratch/bench" "$top/tests/bench/ring_bench.c" \
	"$uroce/shm/uroce_shm_ring.c" "$uroce/shm/uroce_shm_ring_memory.c" \
	"$uroce/shm/uroce_memfd.c" \
	"$uroce/wire/uroce_wire.c" "$top/libibverbs/util/nocancel.c"
timeout 300 "$scratch/bench" | tee "$scratch/out"
awk -v OFS='\t' '
	BEGIN {
		print "quantity", "who", "value", "unit"
		bar("line, one way", "8 B, one way", "a cache line")
		bar("packet", "8 B, one way", "ring")
		bar("packet and call", "8 B, one way", "ring, called")
		bar("burst", "packets, one after the other", "ring")
		bar("burst and call", "packets, one after the other",
			"ring, called")
		bar("writev of 1 MB", "1 MB", "process_vm_writev")
		bar("stream of 1 MB", "1 MB", "ring")
	}
	function bar(line, quantity, who) {
		what[line] = quantity OFS who
	}
	match($0, / +[0-9.]+ [A-Z]*[a-zB]*\/?s/) {
		split(substr($0, RSTART, RLENGTH), number, " ")
		print what[substr($0, 1, RSTART - 1)], number[1], number[2]
	}' "$scratch/out" >"${1:-/dev/null}"
