#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# libfabric where it needs no connection manager: reliable datagrams of its own
# (ofi_rxd) over UD queue pairs. Its connected endpoints need rdma_cm, and its
# plain datagram endpoints a channel of rdma_cm for their events.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

# works SIZE OPTION...
works() {
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
works 64
works 64 -c
works 100000 -c
on_veth 9000 4
works 64
works 100000 -c
finish
