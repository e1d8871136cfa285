#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Sends, writes, reads and atomics as perftest does them, on the loopback
# interface: RC, UC and UD, bandwidth and latency, events, SRQs, several QPs, all
# sizes, both directions.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

# works PROGRAM OPTION...
works() {
	ends '^ *#bytes' "$1" -F -x "$gid" "${@:2}"
}

# many_sizes PROGRAM OPTION... - there is a line for the longest one. It measures
# the processor's clock for each size, up to a second on a busy machine.
many_sizes() {
	local -x UROCE_COMMAND_TIMEOUT=300

	ends '^ *8388608 ' "$1" -F -x "$gid" -a -n 20 "${@:2}"
}

sends() {
	local type

	for type in RC UC UD; do
		works ib_send_lat -n 500 -c "$type"
		works ib_send_lat -n 100 -c "$type" -s 1000 -e
		works ib_send_bw -n 1000 -c "$type" -s 2000
		works ib_send_bw -n 1000 -c "$type" -s 2000 -b
	done
	works ib_send_bw -n 200 -s 64 -e
	works ib_send_lat -n 100 -s 64 --use-srq
	works ib_send_bw -n 200 -s 64 -q 8
	# -q 8 with --use-srq hangs on any device now and then.
	works ib_send_bw -n 200 -s 64 -q 2 --use-srq
	works ib_send_bw -n 200 -s 64 -c UD --use-srq
	works ib_send_bw -n 200 -s 64 -c UD -q 8
	many_sizes ib_send_bw
	! more || many_sizes ib_send_lat
}

writes() {
	local type

	for type in RC UC; do
		# Both ends only look at memory: each way takes a time slice.
		works ib_write_lat -n 100 -c "$type"
		works ib_write_bw -n 1000 -c "$type" -s 65536
		works ib_write_bw -n 200 -c "$type" -s 65536 -b
	done
	works ib_write_bw -n 200 -s 64 -q 8
	works ib_write_bw -n 200 -s 64 --use_old_post_send
	works ib_write_lat -n 100 -s 200 -I 256
	many_sizes ib_write_bw
	! more || many_sizes ib_write_lat
}

reads() {
	works ib_read_lat -n 500
	works ib_read_lat -n 100 -e
	works ib_read_bw -n 500 -s 65536
	works ib_read_bw -n 200 -s 65536 -b
	works ib_read_bw -n 200 -s 64 -q 8
	works ib_read_bw -n 200 -s 64 -o 1
	works ib_read_bw -n 200 -s 64 --use_old_post_send
	many_sizes ib_read_bw
	! more || many_sizes ib_read_lat
}

atomics() {
	local op

	for op in FETCH_AND_ADD CMP_AND_SWAP; do
		works ib_atomic_lat -n 500 -A "$op"
		works ib_atomic_bw -n 1000 -A "$op"
	done
	works ib_atomic_lat -n 100 -e
	works ib_atomic_bw -n 200 -b
	works ib_atomic_bw -n 200 -q 8
}

families=4
! more || families='4 6'
for family in $families; do
	on_lo "$family"
	sends
	writes
	reads
	atomics
done
finish
