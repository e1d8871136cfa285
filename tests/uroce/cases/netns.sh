#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Between two network namespaces over a pair of interfaces: pingpongs and
# perftest with MTU 1500, 4300 and 9000, over IPv4 and IPv6. Sizes are such that
# the last packet of a message is short, too.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

pingpong() {
	ends ' iters in ' "ibv_$1_pingpong" -g "$gid" -c "${@:2}"
}

works() {
	ends '^ *#bytes' "$1" -F -x "$gid" "${@:2}"
}

some() {
	pingpong rc -n 200 -s 10001
	pingpong rc -n 100 -s 10001 -e
	pingpong uc -n 200 -s 10001
	pingpong ud -n 200 -s 1000
	pingpong srq -n 200 -s 1001 -q 4
	works ib_send_bw -n 500 -s 65537
	works ib_write_bw -n 500 -s 65537 -q 2
	works ib_read_bw -n 200 -s 65537
	works ib_send_lat -n 200 -c UD
	works ib_atomic_bw -n 200
}

all() {
	local type

	pingpong uc -n 100 -s 10001 -e
	pingpong ud -n 100 -s 1000 -e
	pingpong srq -n 100 -s 1001 -q 4 -e
	for type in RC UC UD; do
		works ib_send_lat -n 500 -c "$type" -e
		works ib_send_bw -n 1000 -c "$type" -s 1000 -b
	done
	for type in RC UC; do
		works ib_write_lat -n 500 -c "$type"
		works ib_write_bw -n 1000 -c "$type" -s 65537 -b
	done
	works ib_send_bw -n 500 -s 64 -q 8
	works ib_send_bw -n 500 -s 64 -q 2 --use-srq
	works ib_read_lat -n 500 -e
	works ib_read_bw -n 500 -s 65537 -b
	works ib_read_bw -n 500 -s 64 -q 8
	works ib_atomic_lat -n 500 -A CMP_AND_SWAP
	works ib_send_bw -n 20 -a
	works ib_write_bw -n 20 -a
	works ib_read_bw -n 20 -a
}

for mtu in 1500 4300 9000; do
	for family in 4 6; do
		check "the network" on_veth "$mtu" "$family"
		some
		! more || all
	done
done
finish
