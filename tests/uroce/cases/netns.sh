#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Two network namespaces over a pair of interfaces: pingpongs and perftest with
# MTU 1500, 4300 and 9000, over IPv4 and IPv6. Sizes are chosen so that the last
# packet of a message is short.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

test_pingpong() {
	ends ' iters in ' "ibv_$1_pingpong" -g "$gid" -c "${@:2}"
}

test_perftest() {
	ends '^ *#bytes' "$1" -F -x "$gid" "${@:2}"
}

test_some() {
	test_pingpong rc -n 200 -s 10001
	test_pingpong rc -n 100 -s 10001 -e
	test_pingpong uc -n 200 -s 10001
	test_pingpong ud -n 200 -s 1000
	test_pingpong srq -n 200 -s 1001 -q 4
	test_perftest ib_send_bw -n 500 -s 65537
	test_perftest ib_write_bw -n 500 -s 65537 -q 2
	test_perftest ib_read_bw -n 200 -s 65537
	test_perftest ib_send_lat -n 200 -c UD
	test_perftest ib_atomic_bw -n 200
}

test_all() {
	local type

	test_pingpong uc -n 100 -s 10001 -e
	test_pingpong ud -n 100 -s 1000 -e
	test_pingpong srq -n 100 -s 1001 -q 4 -e
	for type in RC UC UD; do
		test_perftest ib_send_lat -n 500 -c "$type" -e
		test_perftest ib_send_bw -n 1000 -c "$type" -s 1000 -b
	done
	for type in RC UC; do
		test_perftest ib_write_lat -n 500 -c "$type"
		test_perftest ib_write_bw -n 1000 -c "$type" -s 65537 -b
	done
	test_perftest ib_send_bw -n 500 -s 64 -q 8
	test_perftest ib_send_bw -n 500 -s 64 -q 2 --use-srq
	test_perftest ib_read_lat -n 500 -e
	test_perftest ib_read_bw -n 500 -s 65537 -b
	test_perftest ib_read_bw -n 500 -s 64 -q 8
	test_perftest ib_atomic_lat -n 500 -A CMP_AND_SWAP
	test_perftest ib_send_bw -n 20 -a
	test_perftest ib_write_bw -n 20 -a
	test_perftest ib_read_bw -n 20 -a
}

for mtu in 1500 4300 9000; do
	for family in 4 6; do
		check "the network" on_veth "$mtu" "$family"
		test_some
		! more || test_all
	done
done
finish
