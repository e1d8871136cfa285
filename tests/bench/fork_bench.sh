#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Cost of fork() protection for each registration, our library compared with
# another one: fork_bench.sh OURS OTHER [COUNT [ROUNDS [RESULT]]], two files of
# a libibverbs.so.1. They take turns, in processes of their own. The script
# prints the minimum over all rounds of each number, and writes it to RESULT
# (README.md). Needs a C compiler. Exits with 77 if the kernel copies pinned
# memory on fork().
set -eu

if [ $# -lt 2 ]; then
	echo "usage: $0 OURS OTHER [COUNT [ROUNDS [RESULT]]]" >&2
	exit 2
fi
ours=$(realpath "$1")
other=$(realpath "$2")
count=${3:-100000}
rounds=${4:-3}
result=${5:-/dev/null}

here=$(dirname "$(realpath "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"${CC:-cc}" -O2 -std=gnu11 -D_GNU_SOURCE -o "$scratch/bench" \
	"$here/fork_bench.c" -ldl

for ((round = 0; round < rounds; round++)); do
	"$scratch/bench" "$ours" "$count" >>"$scratch/ours"
	"$scratch/bench" "$other" "$count" >>"$scratch/other"
done

echo "$count registrations, ns of processor time each"
printf '%-22s %10s %10s %10s\n' "" other ours ours/other
printf 'quantity\twho\tvalue\tunit\n' >"$result"
awk -F= -v result="$result" '
	FNR == 1 { file++ }
	!((file, $1) in least) || $2 < least[file, $1] { least[file, $1] = $2 }
	file == 1 && !($1 in seen) { seen[$1]; keys[++nr] = $1 }
	END {
		for (i = 1; i <= nr; i++) {
			other = least[1, keys[i]]
			ours = least[2, keys[i]]
			printf "%-22s %10d %10d %10.2f\n", keys[i], other,
				ours, other ? ours / other : 0
			name = keys[i]
			sub(/\./, ": ", name)
			gsub(/_/, " ", name)
			printf "%s\trdma-core\t%s\tns\n%s\tAnyVerbs\t%s\tns\n",
				name, other, name, ours >>result
		}
	}' "$scratch/other" "$scratch/ours"
