#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The five pingpongs of the distribution on the loopback interface, polling and
# with events, IPv4 and IPv6; that of XRC also with two clients.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

# test_pingpong TYPE OPTION... - validates the contents.
test_pingpong() {
	ends ' iters in ' "ibv_$1_pingpong" -g "$gid" -c "${@:2}"
}

has_xrc() {
	"$with" lo ibv_devinfo -v >"$scratch/devinfo" || return 1
	grep -E '^[[:space:]]*XRC' "$scratch/devinfo"
}

# two_xsrq_clients - two clients send to the SRQ of one server.
two_xsrq_clients() {
	local other=$scratch/xsrq.other server client

	pair_port=$((pair_port + 1))
	"$with" lo ibv_xsrq_pingpong -p "$pair_port" -g "$gid" -c 2 -n 500 \
		>"$scratch/xsrq.server" 2>&1 &
	server=$!
	wait_for 60 place_listens "$pair_port" || return 1
	"$with" lo ibv_xsrq_pingpong -p "$pair_port" -g "$gid" -c 2 -n 500 \
		"$address" >"$other" 2>&1 &
	client=$!
	"$with" lo ibv_xsrq_pingpong -p "$pair_port" -g "$gid" -c 2 -n 500 \
		"$address" || return 1
	wait "$client" && wait "$server"
}

for family in 4 6; do
	on_lo "$family"
	test_pingpong rc -n 1000
	test_pingpong rc -n 200 -e
	test_pingpong uc -n 1000
	test_pingpong uc -n 200 -e
	test_pingpong ud -n 1000 -s 2048
	test_pingpong ud -n 200 -s 2048 -e
	test_pingpong srq -n 1000 -q 8
	test_pingpong srq -n 200 -q 8 -e
	ends '^success' ibv_xsrq_pingpong -g "$gid" -n 1000 -s 5000
	ends '^success' ibv_xsrq_pingpong -g "$gid" -n 200 -e
done
on_lo 4
test_pingpong rc -n 1000 -N
test_pingpong rc -n 200 -N -e
test_pingpong rc -n 200 -t
test_pingpong rc -n 200 -s 1 -r 1
test_pingpong rc -n 200 -s 1000000
test_pingpong rc -n 200 -m 256 -s 65536
test_pingpong rc -n 500 -j
test_pingpong rc -n 200 -j -s 100000 -e
test_pingpong ud -n 200 -s 4096
# on-demand paging
for size in 1000 100000; do
	test_pingpong rc -n 200 -o -s "$size"
	test_pingpong rc -n 200 -o -P -s "$size"
	test_pingpong rc -n 200 -O -s "$size"
	test_pingpong rc -n 100 -O -P -e -s "$size"
	test_pingpong srq -n 200 -q 8 -o -s "$size"
done
ends '^success' ibv_xsrq_pingpong -g "$gid" -n 200 -o -s 5000
check "two clients of ibv_xsrq_pingpong" two_xsrq_clients
section=
check "XRC is in the capabilities" has_xrc
finish
