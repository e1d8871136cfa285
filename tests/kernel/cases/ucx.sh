#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# UCX: the transports that it finds on the device, and its own test of those
# that use verbs, rc_v (rc_verbs in its lowest layer) and ud_v.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/pair.sh"
. "$here/../guest/three.sh"

# With its check of a datagram's destination address, UCX drops all datagrams
# here, with the distribution's library as well.
export UCX_UD_VERBS_ETH_DGID_CHECK=n
export UCX_NET_DEVICES=rxe0:1

# The costs are measured in each run.
without_costs() {
	sed -E 's/(cost|overhead|latency|bandwidth): .*/\1/'
}

finds_transports() {
	"$with" "$1" ucx_info -d >"$scratch/found" &&
		grep -q 'Transport: rc_verbs' "$scratch/found" &&
		grep -q 'Transport: ud_verbs' "$scratch/found"
}

# works TEST TRANSPORT SIZE LAYOUT - LAYOUT is the source of the data: short
# (inline), bcopy (UCX's buffers) or zcopy (the program's buffers).
works() {
	local lib row=ucx_perftest
	local -a options

	for lib in $three; do
		pair_port=$((pair_port + 1))
		options=(-p "$pair_port" -d rxe0:1 -x "$2" -t "$1" -s "$3"
			-D "$4" -n 20 -w 2)
		pair_test "ucx_perftest $*" tcp_listens "$lib:$lib" \
			'^Final: ' ucx_perftest "${options[@]}" -- \
			ucx_perftest "${options[@]}" 127.0.0.1
	done
}

# The same with UCX's upper layer, which selects a transport.
works_high() {
	local lib row=ucx_perftest

	for lib in $three; do
		pair_port=$((pair_port + 1))
		UCX_TLS=$2 pair_test "ucx_perftest $1 over $2" tcp_listens \
			"$lib:$lib" '^Final: ' \
			ucx_perftest -p "$pair_port" -t "$1" -s 64 -n 20 -w 2 -- \
			ucx_perftest -p "$pair_port" -t "$1" -s 64 -n 20 -w 2 \
			127.0.0.1
	done
}

check "rxe0 comes up" rxe_up
row=ucx_info
for lib in $three; do
	column=$(library_label "$lib")
	check "rc_verbs and ud_verbs are found ($lib)" finds_transports "$lib"
done
row=
three_same "ucx_info -d" without_costs ucx_info -d

pair_port=25000
works am_lat rc_verbs 8 short
works am_bw rc_verbs 2000 bcopy
works am_bw rc_verbs 2000 zcopy
works put_lat rc_verbs 8 short
works put_bw rc_verbs 2000 zcopy
works get rc_verbs 2000 bcopy
works fadd rc_verbs 8 short
works am_lat ud_verbs 8 short
works am_bw ud_verbs 800 bcopy
works_high tag_lat rc_v
works_high tag_lat ud_v
works_high stream_bw rc_v
finish
