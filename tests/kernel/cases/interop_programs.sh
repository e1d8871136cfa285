#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Unmodified programs of the distribution between the device in user space and
# the kernel's rdma_rxe, with server and client at either end: pingpongs and
# perftest, over IPv4 and IPv6, with several MTUs.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/pair.sh"
. "$here/../guest/two_ends.sh"

# both_ways PATTERN PROGRAM GID_OPTION OPTION... - runs with the server at
# either end.
both_ways() {
	local pattern=$1 program=$2 gid_option=$3 pairing row=$2
	local -a server client

	shift 3
	for pairing in far:distro distro:far; do
		pair_port=$((pair_port + 1))
		server=(-d "$(device_of "${pairing%:*}")")
		client=(-d "$(device_of "${pairing#*:}")")
		pair_test "$program $*" interop_listens "$pairing" "$pattern" \
			"$program" "${server[@]}" "$gid_option" "$gid" \
			-p "$pair_port" "$@" -- \
			"$program" "${client[@]}" "$gid_option" "$gid" \
			-p "$pair_port" "$@" "$(address_of "${pairing%:*}")"
	done
}

# The programs retransmit after 67 ms, which is short here, so duplicates are
# possible and not checked. With events they leave the processors to the
# kernel's end.
pingpong() {
	both_ways ' iters in ' "ibv_$1_pingpong" -g -c -e -n 10 "${@:2}"
}

# Retransmits after 34 s, so no packet may be sent twice. READs and atomics are
# outstanding in the number that the device allows, which is the same with both
# devices: the programs take it from their own one.
perftest() {
	both_ways '^ *#bytes' "$1" -x -F -u 23 -n 10 "${@:2}"
}

nothing_twice() {
	# shellcheck disable=SC2086 # words
	check "rxe counted no lost packet of perftest" counters_unchanged $never
}

if self_test; then
	echo "note $case_name: not with the distribution's library (self test)"
	finish
fi
for family in 4 6; do
	for mtu in 1500 4300; do
		section=
		check "the network" interop_up "$mtu"
		section="MTU $mtu, IPv$family: "
		gid=$(gid_of "$family")
		pingpong rc -s 10001
		pingpong uc -s 10001
		pingpong ud -s 1000
		pingpong srq -s 1001 -q 4
		counters_save
		for type in RC UC UD; do
			perftest ib_send_lat -c "$type" -s 1000
			perftest ib_send_bw -c "$type" -s 1000 -t 4
		done
		perftest ib_write_bw -s 10000 -t 4
		perftest ib_write_bw -c UC -s 10000 -t 4
		perftest ib_read_bw -s 10000 -t 4
		perftest ib_atomic_bw -A CMP_AND_SWAP -t 4
		perftest ib_atomic_lat
		nothing_twice
	done
	counters_save
	perftest ib_send_bw -s 64 -t 4 -q 4
	perftest ib_write_bw -s 64 -q 4
	perftest ib_read_lat -s 64
	# more than may be outstanding
	perftest ib_read_bw -s 8 -n 300 -t 256
	perftest ib_atomic_bw -A FETCH_AND_ADD -n 300 -t 256
	nothing_twice
	# A slow server may lack a receive for a message, and rxe counts the
	# packets after it as out of sequence.
	perftest ib_send_bw -s 64 -t 4 -q 2 --use-srq
	pingpong rc -m 512 -s 10001
done
section=
check "the devices are removed" interop_down
finish
