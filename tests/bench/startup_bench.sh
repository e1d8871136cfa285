#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# startup_bench.sh OURS OTHER [ROUNDS [RESULT]] - measures the time from execve()
# to main() of a program that lists devices, with two files of a libibverbs.so.1.
# Prints the medians of ROUNDS interleaved runs and writes them to RESULT
# (README.md). Needs a C compiler and both libraries' dependencies.
set -eu

if [ $# -lt 2 ]; then
	echo "usage: $0 OURS OTHER [ROUNDS [RESULT]]" >&2
	exit 2
fi
ours=$(realpath "$1")
other=$(realpath "$2")
rounds=${3:-200}
result=${4:-/dev/null}

here=$(dirname "$(realpath "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Each folder has nothing but one library, so that the dynamic linker searches
# equally long with both. Copies are read from the same file system.
mkdir "$scratch"/{ours,other}
strip -o "$scratch/ours/libibverbs.so.1" "$ours"
strip -o "$scratch/other/libibverbs.so.1" "$other"
"${CC:-cc}" -O2 -std=gnu11 -D_GNU_SOURCE -I "$here/../../include" \
	-o "$scratch/startup_bench" "$here/startup_bench.c" \
	"$scratch/ours/libibverbs.so.1"

# One processor for all runs, if the tool is there.
pin=()
if taskset -c 0 true 2>/dev/null; then
	pin=(taskset -c 0)
fi
"${pin[@]}" "$scratch/startup_bench" "$rounds" "$scratch/other" \
	"$scratch/ours" >"$scratch/medians"

{
	read -r other_us
	read -r ours_us
} <"$scratch/medians"
echo "from execve() to main(), medians of $rounds runs in turn, us"
printf '%10s %10s %10s\n' other ours ours/other
awk -v other="$other_us" -v ours="$ours_us" 'BEGIN {
	printf "%10.1f %10.1f %10.3f\n", other, ours, ours / other }'
awk -v other="$other_us" -v ours="$ours_us" 'BEGIN {
	OFS = "\t"
	quantity = "execve() to main()"
	print "quantity", "who", "value", "unit", "yardstick", "ratio", "must"
	print quantity, "rdma-core", other, "us", "-", "-", "-"
	print quantity, "AnyVerbs", ours, "us", other,
		sprintf("%.3f", ours / other), 1
}' >"$result"
