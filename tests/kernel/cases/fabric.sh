#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# libfabric over verbs: its device list, and its pingpong with connected and
# with datagram endpoints.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/pair.sh"
. "$here/../guest/three.sh"

# works SIZE OPTION...
works() {
	local lib row=fi_pingpong size=$1
	local -a options

	shift
	for lib in $three; do
		pair_port=$((pair_port + 1))
		options=(-p verbs -I 5 -S "$size" "$@")
		pair_test "fi_pingpong $* $size" tcp_listens "$lib:$lib" \
			'^bytes' fi_pingpong "${options[@]}" -B "$pair_port" -- \
			fi_pingpong "${options[@]}" -P "$pair_port" "$rxe_address"
	done
}

check "rxe0 comes up" rxe_up
three_same "fi_info -p verbs" cat fi_info -p verbs
three_same "fi_info -p verbs -t FI_EP_MSG" cat fi_info -p verbs -t FI_EP_MSG
check "rxe0 is found" grep -q 'domain: rxe0' "$scratch/three.ours"
pair_port=26000
works 64 -e msg
works 8000 -e msg
works 64 -e dgram -d rxe0-dgram
works 64 -e msg -c
finish
