#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# layers_bench.sh BUILD [ROUNDS]
#
# Cost of the layers on the user-space device: the fastest time of each
# measurement of layers_bench.c without a layer and with each layer, in turns, and
# the instructions of data path calls (calls_data_bench.c under callgrind). Needs a
# C compiler, valgrind and the right to make a network namespace.

set -euo pipefail

[ $# -ge 1 ] || { echo "usage: layers_bench.sh BUILD [ROUNDS]" >&2; exit 2; }
here=$(dirname "$(readlink -f "$0")")
top=$here/../..
build=$(readlink -f "$1")
rounds=${2:-10}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export LD_LIBRARY_PATH=$build/lib:$build/lib/libibverbs UROCE_DEVICES=lo
export UROCE_WORKERS=1

for program in layers_bench calls_data_bench; do
	cc -O2 -std=gnu11 -D_GNU_SOURCE -I "$top/include" \
		-o "$work/$program" "$here/$program.c" -L "$build/lib" -libverbs
done

states="off explain trace validate"

# run STATE PROGRAM... - STATE is a layer, or off.
run() {
	VERBS_LAYERS=${1#off} VERBS_TRACE=file=$work/%p.trace \
		"$top/tests/support/on_loopback" "${@:2}"
}

for ((round = 0; round < rounds; round++)); do
	for state in $states; do
		run "$state" "$work/layers_bench" uroce_lo 1 >>"$work/$state"
	done
done

# best STATE - the fastest of all rounds, in the order of the measurements
best() {
	awk -F '\t' '!($1 in best) { order[++nr] = $1; best[$1] = $2 }
		$2 < best[$1] { best[$1] = $2 }
		END { for (i = 1; i <= nr; i++)
			print order[i] "\t" best[order[i]] }' "$work/$1"
}

# count STATE - instructions of one call, in the order of the measurements
count() {
	run "$1" valgrind --quiet --tool=callgrind --collect-atstart=no \
		--dump-line=no --callgrind-out-file="$work/calls.$1" \
		"$work/calls_data_bench" uroce_lo 1 >&2
	# shellcheck disable=SC2016 # for awk to expand
	find "$work" -name "calls.$1.*" | sort -V | xargs awk '
		FNR == 1 { label = "" }
		/^desc: Trigger: Client Request: / {
			label = count = substr($0, 32)
			sub(/=.*/, "", label)
			sub(/.*=/, "", count)
		}
		/^(summary|totals): / && label != "" {
			each = $2 / count
			if (label == "nothing")
				nothing = each
			else
				printf "%s\t%.1f\n", label, each - nothing
			label = ""
		}'
}

# table UNIT - from files of all states
table() {
	printf '%-36s %10s %10s %10s %10s\n' "$1" off +explain +trace +validate
	paste "$work"/table.{off,explain,trace,validate} | awk -F '\t' \
		'{ printf "%-36s %10.1f %10.1f %10.1f %10.1f\n",
			$1, $2, $4 - $2, $6 - $2, $8 - $2 }'
	echo
}

for state in $states; do
	best "$state" >"$work/table.$state"
done
table nanoseconds
for state in $states; do
	count "$state" >"$work/table.$state"
done
table instructions
