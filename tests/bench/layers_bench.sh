#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# layers_bench.sh BUILD [RESULT [ROUNDS]]
#
# Cost of the layers on the user-space device: the median of each measurement of
# layers_bench.c without a layer and with each layer, in turns, and the
# instructions of data path calls (calls_data_bench.c under callgrind). The layer
# explain only notes requests, so it stands for the hooks alone; fault has a rule
# that never fires. Writes the numbers for a plot to RESULT (README.md). Needs a C
# compiler, valgrind and the right to make a network namespace.

set -euo pipefail

[ $# -ge 1 ] || { echo "usage: layers_bench.sh BUILD [RESULT [ROUNDS]]" >&2; exit 2; }
here=$(dirname "$(readlink -f "$0")")
top=$here/../..
build=$(readlink -f "$1")
result=${2:-/dev/null}
rounds=${3:-10}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export LD_LIBRARY_PATH=$build/lib:$build/lib/libibverbs UROCE_DEVICES=lo
export UROCE_WORKERS=1

for program in layers_bench calls_data_bench; do
	cc -O2 -std=gnu11 -D_GNU_SOURCE -I "$top/include" \
		-o "$work/$program" "$here/$program.c" -L "$build/lib" -libverbs
done

layers="explain trace validate fault"
states="off $layers"

# run STATE PROGRAM... - STATE is a layer, or off.
run() {
	VERBS_LAYERS=${1#off} VERBS_TRACE=file=$work/%p.trace \
		VERBS_FAULT='errno=ENOMEM @ call=reg_mr,nth=1000000' \
		"$top/tests/support/on_loopback" "${@:2}"
}

for ((round = 0; round < rounds; round++)); do
	for state in $states; do
		run "$state" "$work/layers_bench" uroce_lo 1 >>"$work/$state"
	done
done

# median STATE - of all rounds, in the order of the measurements
median() {
	sed 's/\t.*//' "$work/$1" | awk '!seen[$0]++' |
		while read -r name; do
			printf '%s\t' "$name"
			awk -F '\t' -v name="$name" '$1 == name { print $2 }' \
				"$work/$1" | sort -g |
				sed -n "$(((rounds + 1) / 2))p"
		done
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

# table UNIT - from the file of each state
table() {
	printf '%-36s %10s %10s %10s %10s %10s\n' "$1" off \
		+explain +trace +validate +fault
	paste "$work"/table.{off,explain,trace,validate,fault} | awk -F '\t' \
		'{ printf "%-36s %10.1f", $1, $2
			for (i = 4; i <= 10; i += 2)
				printf " %10.1f", $i - $2
			print "" }'
	echo
}

# added NAME QUANTITY OPERATIONS UNIT MUST... - lines of the result: what the
# layers add to each operation of a measurement; at most MUST is allowed
added() {
	local layer off must=("${@:5}")

	off=$(value off "$1")
	for layer in $layers; do
		awk -v OFS='\t' -v off="$off" -v all="$(value "$layer" "$1")" \
			-v quantity="$2" -v who="$layer" -v nr="$3" \
			-v unit="$4" -v must="${must[0]--}" 'BEGIN {
				print quantity, who,
					sprintf("%.1f", (all - off) / nr), unit,
					"-", "-", must }'
		must=("${must[@]:1}")
	done
}

# value STATE NAME
value() {
	awk -F '\t' -v name="$2" '$1 == name { print $2 }' "$work/table.$1"
}

for state in $states; do
	median "$state" >"$work/table.$state"
done
table nanoseconds
# A message has two posts and two completions.
{
	printf 'quantity\twho\tvalue\tunit\tyardstick\tratio\tmust\n'
	quantity="two posts and two completions without layers"
	printf '%s\t%s\t%s\tns\t-\t-\t-\n' \
		"$quantity" "ibv_post_send()" "$(value off message)" \
		"$quantity" "ibv_wr_*()" "$(value off "message, extended")"
	added message \
		"a post or completion of ibv_post_send(), ibv_poll_cq()" \
		4 ns 10 50 100
	added "message, extended" \
		"a post or completion of ibv_wr_*(), ibv_next_poll()" \
		4 ns 10 50 100
	added "empty poll" "ibv_poll_cq() without a completion" 1 ns 10 50 100
} >"$work/result"
for state in $states; do
	count "$state" >"$work/table.$state"
done
table instructions
for call in ibv_post_send ibv_wr_start..complete "ibv_poll_cq, 1"; do
	added "$call" "$call" 1 instructions
done >>"$work/result"
cp "$work/result" "$result"
