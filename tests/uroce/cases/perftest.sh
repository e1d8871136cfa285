#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Sends, writes, reads and atomics of perftest on the loopback interface: RC, UC
# and UD, bandwidth and latency, events, SRQs, several QPs, all sizes, both
# directions.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

# test_perftest PROGRAM OPTION...
test_perftest() {
	ends '^ *#bytes' "$1" -F -x "$gid" "${@:2}"
}

# test_all_sizes PROGRAM OPTION... - requires the line of the longest size. The
# program measures the processor's clock for each size, up to a second on a busy
# machine.
test_all_sizes() {
	local -x UROCE_COMMAND_TIMEOUT=300

	ends '^ *8388608 ' "$1" -F -x "$gid" -a -n 20 "${@:2}"
}

test_sends() {
	local type

	for type in RC UC UD; do
		test_perftest ib_send_lat -n 500 -c "$type"
		test_perftest ib_send_lat -n 100 -c "$type" -s 1000 -e
		test_perftest ib_send_bw -n 1000 -c "$type" -s 2000
		test_perftest ib_send_bw -n 1000 -c "$type" -s 2000 -b
	done
	test_perftest ib_send_bw -n 200 -s 64 -e
	test_perftest ib_send_lat -n 100 -s 64 --use-srq
	test_perftest ib_send_bw -n 200 -s 64 -q 8
	# -q 8 with --use-srq hangs on any device now and then.
	test_perftest ib_send_bw -n 200 -s 64 -q 2 --use-srq
	test_perftest ib_send_bw -n 200 -s 64 -c UD --use-srq
	test_perftest ib_send_bw -n 500 -s 2000 -c XRC -q 4
	test_perftest ib_send_lat -n 200 -s 64 -c XRC
	test_perftest ib_send_bw -n 200 -s 64 -c UD -q 8
	test_all_sizes ib_send_bw
	! more || test_all_sizes ib_send_lat
}

test_writes() {
	local type

	for type in RC UC; do
		# Both ends poll memory: each direction takes a time slice.
		test_perftest ib_write_lat -n 100 -c "$type"
		test_perftest ib_write_bw -n 1000 -c "$type" -s 65536
		test_perftest ib_write_bw -n 200 -c "$type" -s 65536 -b
	done
	test_perftest ib_write_bw -n 200 -s 64 -q 8
	test_perftest ib_write_bw -n 200 -s 64 --use_old_post_send
	test_perftest ib_write_lat -n 100 -s 200 -I 256
	test_perftest ib_write_bw -n 200 -s 65536 -c XRC
	test_all_sizes ib_write_bw
	! more || test_all_sizes ib_write_lat
}

test_reads() {
	test_perftest ib_read_lat -n 500
	test_perftest ib_read_lat -n 100 -e
	test_perftest ib_read_bw -n 500 -s 65536
	test_perftest ib_read_bw -n 200 -s 65536 -b
	test_perftest ib_read_bw -n 200 -s 64 -q 8
	test_perftest ib_read_bw -n 200 -s 64 -o 1
	test_perftest ib_read_bw -n 1000 -s 64 -t 256 -o 128
	test_perftest ib_read_bw -n 200 -s 65536 -t 256 -o 128
	test_perftest ib_read_bw -n 200 -s 64 --use_old_post_send
	test_perftest ib_read_bw -n 200 -s 65536 -c XRC
	test_all_sizes ib_read_bw
	! more || test_all_sizes ib_read_lat
}

test_atomics() {
	local op

	for op in FETCH_AND_ADD CMP_AND_SWAP; do
		test_perftest ib_atomic_lat -n 500 -A "$op"
		test_perftest ib_atomic_bw -n 1000 -A "$op"
	done
	test_perftest ib_atomic_lat -n 100 -e
	test_perftest ib_atomic_bw -n 200 -b
	test_perftest ib_atomic_bw -n 200 -q 8
	test_perftest ib_atomic_bw -n 200 -c XRC
	test_perftest ib_atomic_bw -n 1000 -t 256 -o 128
}

# On-demand paging; ib_atomic_bw refuses it.
test_on_demand() {
	test_perftest ib_send_bw -n 200 -s 65536 --odp
	test_perftest ib_send_bw -n 200 -s 1000 -c UD --odp
	test_perftest ib_send_lat -n 200 -s 64 --odp
	test_perftest ib_write_bw -n 200 -s 65536 --odp
	test_perftest ib_write_bw -n 50 -s 1000000 --odp
	test_perftest ib_read_bw -n 200 -s 65536 --odp
	test_perftest ib_read_lat -n 200 -s 64 --odp
}

families=4
! more || families='4 6'
for family in $families; do
	on_lo "$family"
	test_sends
	test_writes
	test_reads
	test_atomics
	test_on_demand
done
finish
