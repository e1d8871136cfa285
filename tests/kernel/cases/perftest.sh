#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Sends, writes, reads and atomics by perftest's unmodified programs. They are
# linked with vendor libraries, so they cannot start without the private symbols
# of the distribution's library.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/pair.sh"
. "$here/../guest/three.sh"

# Selected pairings, as those of "./check lane", leave out the comparison.
[ -z "${LANE_PAIRINGS-}" ] || three=ours

# works PROGRAM OPTION... - runs on all three libraries; pingpong.sh mixes them.
works() {
	local lib row=$1 program=$1 listens
	local -a options starter

	shift
	perftest_begins "$@"
	for lib in $three; do
		pair_port=$((pair_port + 1))
		options=(-F -d rxe0 -x "$rxe_gid_index" -p "$pair_port" -n 10 "$@")
		pair_test "$program $*" "$listens" "$lib:$lib" '^ *#bytes' \
			"${starter[@]}" "$program" "${options[@]}" -- \
			"${starter[@]}" "$program" "${options[@]}" "$rxe_address"
	done
}

check "rxe0 comes up" rxe_up
pair_port=23000
old=--use_old_post_send

for type in RC UC UD; do
	works ib_send_lat -s 64 -c "$type"
	works ib_send_lat -s 64 -c "$type" "$old"
	works ib_send_lat -s 1000 -c "$type" -e
	works ib_send_bw -s 1000 -t 4 -c "$type"
	works ib_send_bw -s 1000 -t 4 -c "$type" "$old"
done
works ib_send_lat -s 64 --use-srq
works ib_send_bw -s 64 -t 4 -e
works ib_send_bw -s 64 -t 4 -q 8
# -q 8 hangs in half of the runs, with the distribution's library as well.
works ib_send_bw -s 64 -t 4 -q 2 --use-srq
works ib_send_bw -s 64 -t 4 -c UD --use-srq
works ib_send_lat -s 64 -R
works ib_send_bw -s 64 -t 4 -R
works ib_send_lat -s 64 -c UD -R

for type in RC UC; do
	works ib_write_lat -s 64 -c "$type"
	works ib_write_lat -s 64 -c "$type" "$old"
	works ib_write_bw -s 4000 -t 4 -c "$type"
done
works ib_write_bw -s 4000 -t 4 "$old"
works ib_write_bw -s 64 -q 8
works ib_write_lat -s 64 -R

works ib_read_lat -s 64
works ib_read_lat -s 64 "$old"
works ib_read_lat -s 64 -e
works ib_read_bw -s 4000 -t 4
works ib_read_bw -s 64 -t 4 -q 8 "$old"
works ib_read_bw -s 64 -R

works ib_atomic_lat -A FETCH_AND_ADD
works ib_atomic_lat -A CMP_AND_SWAP "$old"
works ib_atomic_lat -e
works ib_atomic_bw -A CMP_AND_SWAP -t 4
works ib_atomic_bw -t 4 -q 8 "$old"
works ib_atomic_bw -R
finish
