#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Speed of connection management: Debian's cmtime with 1,000 connections between
# two processes of the host, on uroce with our librdmacm and on rdma_rxe with the
# distribution's, in one boot and in turns. Absolute times of an emulated machine
# have no meaning, but their ratios do; the case prints them. Its tests are that no
# connection is lost.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/pair.sh"
. "$here/../guest/two_ends.sh"

# A capture would be part of the measured time.
INTEROP_CAPTURE=
export INTEROP_DEVICES=auto
connections=1000
rounds=3
pair_endless=yes
pair_limit=600

# none_lost PLACE - runs cmtime; each connection must be made and ended.
none_lost() {
	pair_port=$((pair_port + 1))
	pair_run interop_cm_listens "$1" "$1" \
		cmtime -b "$(address_of "$1")" -p "$pair_port" -- \
		cmtime -s "$(address_of "$1")" -p "$pair_port" -c "$connections"
	cat "$scratch/pair.client.out"
	[ "$(cat "$scratch/pair.client.rc")" = 0 ] &&
		grep -q '^destroy ' "$scratch/pair.client.out" &&
		! grep -q error "$scratch"/pair.{client,server}.out
}

# times_of - prints "STEP MS" of the last run; the sum is of all steps.
times_of() {
	awk -F ':' '$2 ~ /^ *[0-9.]+ / {
			split($2, value, " ")
			sub(/ *$/, "", $1)
			gsub(/ /, "_", $1)
			print $1, value[1]
			sum += value[1]
		}
		END { print "sum", sum }' "$scratch/pair.client.out"
}

# median PLACE STEP
median() {
	awk -v step="$2" '$1 == step { print $2 }' "$scratch/$1.times" |
		sort -n | sed -n "$(((rounds + 1) / 2))p"
}

# ratio STEP - how many times as fast uroce is
ratio() {
	awk -v rxe="$(median distro "$1")" -v uroce="$(median far "$1")" \
		'BEGIN { printf "%.1f\n", rxe / uroce }'
}

if self_test || [ ! -e /run/lane/ours/librdmacm.so.1 ]; then
	echo "note $case_name: not with the library of the distribution"
	finish
fi
check "the two devices come up" interop_up
for ((i = 1; i <= rounds; i++)); do
	for place in distro far; do
		check "round $i, $(device_of "$place"): none of $connections connections is lost" \
			none_lost "$place" || finish
		times_of >>"$scratch/$place.times"
	done
done
awk '!seen[$1]++ { print $1 }' "$scratch/far.times" | while read -r step; do
	echo "     $step: rxe $(median distro "$step") ms," \
		"uroce $(median far "$step") ms, $(ratio "$step") times as fast"
done
echo "     in all: uroce is $(ratio sum) times as fast, wanted is 5"
check "the devices are removed" interop_down
finish
