#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# UCX over the transports that use verbs, rc_v and ud_v (rc_verbs and ud_verbs
# in its lowest layer), on loopback and between two namespaces. UCX does not use
# a device unless the folder /dev/infiniband exists; with_nodes makes it, as an
# unprivileged user can.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

# The folder alone, without a node.
nodes=("$tools/with_nodes" "")

finds_transports() {
	"$with" lo "${nodes[@]}" ucx_info -d >"$scratch/found" 2>&1
	cat "$scratch/found"
	grep -q 'Transport: rc_verbs' "$scratch/found" &&
		grep -q 'Transport: ud_verbs' "$scratch/found"
}

# perftest NAME OPTION... - runs one test.
perftest() {
	local name=$1 row=ucx_perftest

	shift
	pair_port=$((pair_port + 1))
	UCX_IB_GID_INDEX=$gid pair_test "ucx_perftest $name" place_listens \
		"$pairing" '^Final: ' \
		"${nodes[@]}" ucx_perftest -p "$pair_port" "$@" -- \
		"${nodes[@]}" ucx_perftest -p "$pair_port" "$@" "$address"
}

# test_layer TEST TRANSPORT SIZE LAYOUT - LAYOUT is the source of the data:
# short (inline), bcopy (UCX's buffers) or zcopy (the program's buffers).
test_layer() {
	perftest "$*" -d "$device:1" -x "$2" -t "$1" -s "$3" -D "$4" \
		-n 500 -w 20
}

# The same with UCX's upper layer, which selects a transport.
test_upper_layer() {
	UCX_TLS=$2 perftest "$1 over $2" -t "$1" -s "$3" -n 500 -w 20
}

test_both_layers() {
	test_layer am_lat rc_verbs 8 short
	test_layer am_bw rc_verbs 4000 bcopy
	test_layer am_bw rc_verbs 4000 zcopy
	test_layer put_lat rc_verbs 8 short
	test_layer put_bw rc_verbs 4000 zcopy
	test_layer get rc_verbs 4000 bcopy
	test_layer fadd rc_verbs 8 short
	test_layer am_lat ud_verbs 8 short
	test_layer am_bw ud_verbs 800 bcopy
	test_upper_layer tag_lat rc_v 64
	test_upper_layer tag_bw rc_v 200000
	test_upper_layer ucp_put_bw rc_v 200000
	test_upper_layer ucp_get rc_v 200000
	test_upper_layer ucp_fadd rc_v 8
	test_upper_layer tag_lat ud_v 64
	test_upper_layer tag_bw ud_v 20000
}

check "rc_verbs and ud_verbs are found" finds_transports
on_lo 4
test_both_layers
for mtu in 1500 9000; do
	for family in 4 6; do
		on_veth "$mtu" "$family"
		if more; then
			test_both_layers
		else
			test_layer am_lat rc_verbs 8 short
			test_upper_layer tag_bw rc_v 200000
			test_upper_layer tag_lat ud_v 64
		fi
	done
done
finish
