#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Data transfer over RC, UC, UD and SRQ: the distribution's ibv_*_pingpong,
# polling and with events, with ibv_post_send() and ibv_wr_*, with the library
# under test at both ends and at either. Features that rxe lacks fail in the
# same way with both libraries.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/pair.sh"

# pingpong SERVER_LIB CLIENT_LIB TYPE OPTION... - validates the contents.
pingpong() {
	local server_lib=$1 client_lib=$2 program=ibv_$3_pingpong

	pair_port=$((pair_port + 1))
	shift 3
	set -- -d rxe0 -g "$rxe_gid_index" -p "$pair_port" "$@"
	pair_run tcp_listens "$server_lib" "$client_lib" \
		"$program" "$@" -- "$program" "$@" "$rxe_address"
}

# works TYPE OPTION... - runs all four pairings of libraries.
works() {
	local pairing row=ibv_$1_pingpong column

	for pairing in $pairings; do
		column=$(pairing_label "$pairing")
		if pingpong "${pairing%:*}" "${pairing#*:}" "$@" &&
			grep -q ' iters in ' "$scratch/pair.client.out"; then
			pass "ibv_$1_pingpong ${*:2} ($pairing)"
		else
			pair_result >"$scratch/result"
			fail "ibv_$1_pingpong ${*:2} ($pairing)" "$scratch/result"
		fi
	done
}

# alike TYPE OPTION... - checks that both libraries have the same result,
# success or failure.
alike() {
	local lib row=ibv_$1_pingpong column

	column=$(library_label ours)
	for lib in distro ours; do
		pingpong "$lib" "$lib" "$@"
		pair_result >"$scratch/$lib"
	done
	same "ibv_$1_pingpong ${*:2}: same result ($(sed -n \
		'/^server: [^e]/{p;q}' "$scratch/distro"))" \
		"$scratch/distro" "$scratch/ours"
}

check "rxe0 comes up" rxe_up

small=(-n 20 -s 1500 -r 32 -c)
works rc "${small[@]}"
works rc "${small[@]}" -e
works rc "${small[@]}" -N
works rc "${small[@]}" -N -e
works uc "${small[@]}"
works uc "${small[@]}" -e
works ud "${small[@]}" -s 1000
works ud "${small[@]}" -s 1000 -e
works srq "${small[@]}" -q 4
works srq "${small[@]}" -q 4 -e

section="bind mount: "
export LANE_MODE=${LANE_BIND:-bind}
works rc "${small[@]}" -e
unset LANE_MODE

section=
alike rc -n 5 -t
alike rc -n 5 -o
alike rc -n 5 -O
alike rc -n 5 -o -P
alike rc -n 5 -j
alike rc -n 5 -j -N
alike srq -n 5 -q 2 -o
alike xsrq -n 2
alike xsrq -n 2 -e
finish
