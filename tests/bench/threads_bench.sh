#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# threads_bench.sh BUILD [RESULT [ROUNDS]] - how the rate of 8-byte SENDs grows with
# the threads of a process (local_threads.c): inside the process, and over the
# network, where each message is a packet of the loopback interface. BUILD is a build
# tree. Writes the medians of all rounds to RESULT (README.md). Needs a C compiler
# and as many idle processors as threads.
set -euo pipefail

[ $# -ge 1 ] || { echo "usage: $0 BUILD [RESULT [ROUNDS]]" >&2; exit 2; }
top=$(realpath "$(dirname "$0")/../..")
build=$(realpath "$1")
rounds=${3:-11}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
. "$top/tests/bench/result.sh"

"${CC:-cc}" -O2 -std=gnu11 -D_GNU_SOURCE -I"$top/include" -o "$scratch/threads" \
	"$top"/tests/bench/{local_threads,wire_rig,wire_verbs}.c -L"$build/lib" \
	-libverbs -lpthread
export LD_LIBRARY_PATH=$build/lib:$build/lib/libibverbs UROCE_DEVICES=lo
for ((round = 0; round < rounds; round++)); do
	timeout 60 "$scratch/threads" "$round" >>"$scratch/process"
	UROCE_LOCAL=none timeout 60 "$scratch/threads" "$round" >>"$scratch/network"
done

# medians FILE QUANTITY - a line for each number of threads, in the order of a round.
medians() {
	awk '$2 == 0 { print $1 }' "$1" |
		while read -r name; do
			awk -v name="$name" '$1 == name { print $3 }' "$1" | sort -g |
				awk -v quantity="$2" -v name="$name" -v OFS='\t' '
					{ value[NR] = $1 }
					END {
						split(name, part, "_")
						who = part[2] " " part[1]
						sub(/^1 threads/, "1 thread", who)
						print quantity, who, value[int((NR + 1) / 2)], "M/s"
					}'
		done
}

{
	result_head
	medians "$scratch/process" "SEND 8 B, inside a process"
	medians "$scratch/network" "SEND 8 B, packets on loopback"
} | tee "${2:-/dev/null}"
