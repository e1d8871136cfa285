# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # variables of lib.sh
#
# Runs list_bench with both libraries at several numbers of devices, prints one
# table, and checks the numbers of system calls against the promised limits.
# Sourced in the guest, after lib.sh, by the case that makes the devices.
. "$(dirname "${BASH_SOURCE[0]}")/result.sh"

# Reads all files that both libraries read when they load providers. Otherwise
# the distribution's library would wait for the lane's file system, and ours
# (which is in memory already) would not.
bench_level_field() {
	local distro file

	distro=$(cat /run/lane/distro_dir)
	for file in /etc/libibverbs.d/* "$distro"/libibverbs.so.* \
		"$distro"/libibverbs/*; do
		[ ! -f "$file" ] || touch -c "$(readlink -f "$file")"
	done
}

# bench_one COUNT LIBRARY - writes $scratch/bench.COUNT.LIBRARY.
bench_one() {
	local file=$scratch/bench.$1.$2

	LANE_COMMAND_TIMEOUT=200 "$with" "$2" "$tools/list_bench" >"$file" 2>&1
	cat "$file"
	grep -q "^devices=$1 " "$file"
}

bench_measure() {
	check "list_bench at $1 devices, distro" bench_one "$1" distro
	check "list_bench at $1 devices, ours" bench_one "$1" ours
}

# bench_value COUNT LIBRARY KEY
bench_value() {
	sed -n "s/.*\b$3=\([0-9]*\).*/\1/p" "$scratch/bench.$1.$2"
}

bench_row() {
	local distro ours

	distro=$(bench_value "$1" distro "$2")
	ours=$(bench_value "$1" ours "$2")
	awk -v n="$1" -v what="$3" -v d="$distro" -v o="$ours" 'BEGIN {
		printf "%7d  %-22s %12d %9d %14.3f\n", n, what, d, o,
			d ? o / d : 0 }'
}

# bench_bars DEVICES KEY WHAT - prints two lines of the result.
bench_bars() {
	local library

	for library in distro ours; do
		printf '%s\t%s\t%s\tcalls\n' "$3, $1 devices" \
			"$(result_who $library)" \
			"$(bench_value "$1" $library "$2")"
	done
}

# bench_result COUNT... - writes the counts, which do not vary between runs, in
# the format of tests/bench/README.md.
bench_result() {
	local count

	{
		result_head
		for count; do
			bench_bars "$count" first_calls 'first time'
			bench_bars "$count" repeat_calls 'again'
		done
	} | sed 's/, 1 devices/, 1 device/' >"$LANE_OUT/list.tsv"
}

# bench_table COUNT...
bench_table() {
	local count

	bench_result "$@"
	echo
	printf '%7s  %-22s %12s %9s %14s\n' devices 'ibv_get_device_list()' \
		distribution ours ours/distrib.
	for count; do
		bench_row "$count" first_calls 'first: system calls'
		bench_row "$count" repeat_calls 'repeated: system calls'
		bench_row "$count" first_us 'first: us'
		bench_row "$count" repeat_us 'repeated: us'
	done
	echo
}

# at_most COUNT KEY PART - checks that ours is at most 1/PART of the
# distribution's.
at_most() {
	local distro ours

	distro=$(bench_value "$1" distro "$2")
	ours=$(bench_value "$1" ours "$2")
	echo "distribution: $distro, ours: $ours"
	[ $((ours * $3)) -le "$distro" ]
}

# grows_slowly FROM TO KEY - checks for at most one more call per eight devices.
grows_slowly() {
	local from to

	from=$(bench_value "$1" ours "$3")
	to=$(bench_value "$2" ours "$3")
	echo "ours: $from at $1 devices, $to at $2"
	[ $(((to - from) * 8)) -le $(($2 - $1)) ]
}

# bench_check - checks the limits of call counts, which do not vary between
# runs; times vary and are only printed.
bench_check() {
	section="list call: "
	check_ours "first, 1 device: at most 1/5 of the calls" \
		at_most 1 first_calls 5
	check_ours "first, 200 devices: at most 1/10 of the calls" \
		at_most 200 first_calls 10
	check_ours "repeated, 1 device: at most 1/2 of the calls" \
		at_most 1 repeat_calls 2
	check_ours "repeated, 200 devices: at most 1/10 of the calls" \
		at_most 200 repeat_calls 10
	check_ours "first: at most one call more for 8 devices" \
		grows_slowly 1 200 first_calls
	check_ours "repeated: at most one call more for 8 devices" \
		grows_slowly 1 200 repeat_calls
	if at_most 1 first_us 5 >/dev/null; then
		echo "     first, 1 device: at most 1/5 of the time: yes"
	else
		echo "     first, 1 device: at most 1/5 of the time: NO"
	fi
	section=
}
