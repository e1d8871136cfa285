#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# RDMA writes, reads, atomics and sends as perftest does them: its programs,
# unchanged, with both libraries.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/pair.sh"

# works PROGRAM OPTION... - with both libraries; pingpong.sh mixes them.
works() {
	local pairing program=$1
	local -a options

	shift
	for pairing in distro:distro ours:ours; do
		pair_port=$((pair_port + 1))
		options=(-F -d rxe0 -x "$rxe_gid_index" -p "$pair_port" -n 20 "$@")
		if pair_run tcp_listens "${pairing%:*}" "${pairing#*:}" \
			"$program" "${options[@]}" -- \
			"$program" "${options[@]}" "$rxe_address" &&
			grep -q '^ *#bytes' "$scratch/pair.client.out"; then
			pass "$program $* ($pairing)"
		else
			pair_result >"$scratch/result"
			fail "$program $* ($pairing)" "$scratch/result"
		fi
	done
}

check "rxe0 comes up" rxe_up
pair_port=23000
works ib_send_lat -s 64
works ib_send_lat -s 2000 -e
works ib_send_lat -s 64 -c UC
works ib_send_lat -s 64 -c UD
works ib_send_bw -s 2000 -t 8 -r 16
works ib_send_bw -s 2000 -t 8 -r 16 --use-srq
works ib_write_lat -s 64
works ib_write_bw -s 4096 -t 8 -q 2
works ib_read_lat -s 64
works ib_read_bw -s 4096 -t 8 -o 4
works ib_atomic_lat -A FETCH_AND_ADD
works ib_atomic_bw -A CMP_AND_SWAP -t 8
finish
