#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The parts of libfabric that need no connection manager: its own reliable
# datagrams (ofi_rxd) over UD queue pairs. Its connected endpoints need rdma_cm,
# and its plain datagram endpoints need an event channel of rdma_cm.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

# test_fabric SIZE OPTION...
test_fabric() {
	local row=fi_pingpong size=$1
	local -a options

	shift
	pair_port=$((pair_port + 1))
	options=(-p 'verbs;ofi_rxd' -e rdm -d "$device-dgram" -I 50 -S "$size"
		"$@")
	pair_test "fi_pingpong rxd $* $size" place_listens "$pairing" '^bytes' \
		fi_pingpong "${options[@]}" -B "$pair_port" -- \
		fi_pingpong "${options[@]}" -P "$pair_port" "$address"
}

on_lo 4
says "fi_info finds it" 'domain: uroce_lo-dgram' "$with" lo fi_info -p verbs
test_fabric 64
test_fabric 64 -c
test_fabric 100000 -c
on_veth 9000 4
test_fabric 64
test_fabric 100000 -c
finish
