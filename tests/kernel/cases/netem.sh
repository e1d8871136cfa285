#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The device in user space over a faulty network between two network namespaces:
# losses, delays, duplicates, reordering, corruption and ECN marks, one kind at a
# time and all together. Programs that compare the received data, and Debian's programs,
# must succeed, and the counters must show that the faults occurred.

here=$(dirname "$(readlink -f "$0")")
. "$here/../../uroce/world/networks.sh"
. "$here/../guest/checked.sh"
. "$here/../guest/netem.sh"

mtu=1500

# network_has NAME FAULT... - sets the faults in both directions, and starts to
# count.
network_has() {
	local place

	section="$1, IPv$family: "
	shift
	count_from_here
	mangled=$(($(netem_mangled left) + $(netem_mangled right)))
	for place in left right; do
		netem_on "$place" ve0 "$mtu" "$@" || return 1
	done
}

# perftest PROGRAM OPTION...
perftest() {
	ends '^ *#bytes' "$1" -F -x "$gid" -u "$INTEROP_TIMEOUT" "${@:2}"
}

# programs FEW - FEW is not empty if a retransmission for each lost packet takes
# long.
programs() {
	[ -z "$1" ] || local -x INTEROP_SKIP='RC megabyte'
	checked place_listens "$pairing" interop_rc "$gid" "$device:$device" \
		"$address"
	[ -z "$1" ] || { perftest ib_send_bw -s 3000 -n 20; return; }
	perftest ib_write_bw -s 65537 -n 20 -t 8 -q 2
	perftest ib_read_bw -s 65537 -n 20 -t 8
	perftest ib_send_lat -s 10001 -n 50
	# Each end exits when it is done. If its last ACK is lost, the other end
	# gets an error that no device can avoid.
	# The program's retries end after half a second, however busy the other
	# end is, so only one such program runs.
	pair_known_fault='transport retry counter exceeded'
	ends ' iters in ' ibv_srq_pingpong -g "$gid" -c -e -s 3000 -n 50 -q 4
	pair_known_fault=
}

dropped() {
	echo $(($(netem_dropped left ve0) + $(netem_dropped right ve0)))
}

# shows WHAT... - checks that each fault occurred.
shows() {
	local what nr

	for what; do
		case $what in
		dropped) nr=$(dropped) ;;
		mangled) nr=$(($(netem_mangled left) + $(netem_mangled right) - \
			mangled)) ;;
		*) nr=$(counted "$what") ;;
		esac
		check "the fault occurred: $what $nr" [ "$nr" -gt 0 ]
	done
}

# with_faults NAME EXPECTED FAULT...
with_faults() {
	local show=$2

	check "the network" network_has "$1" "${@:3}" || return
	programs "${few-}"
	# shellcheck disable=SC2086 # words
	shows $show
	echo "     retransmitted $(counted retransmitted)," \
		"out of sequence $(counted out_of_sequence)," \
		"duplicates $(counted duplicates), timeouts $(counted timeouts)"
}

check "the kernel has the netem modules" netem_modules || finish
# Seven retries of 0.27 s: processes may have to wait for a processor here.
export INTEROP_TIMEOUT=16
for family in 4 6; do
	check "the two ends come up" on_veth "$mtu" "$family"
	with_faults 'all of it' \
		'dropped mangled duplicates out_of_sequence retransmitted' \
		delay 1ms reorder 2% loss 1% duplicate 1% corrupt 1%
	# Packets that allow marks are marked, the others lost.
	with_faults 'marks' 'ecn_marked cnps_handled' loss 5% ecn
	[ "$family" = 4 ] || continue
	with_faults 'loss 0.1 %' 'dropped retransmitted' loss 0.1%
	with_faults 'loss 1 %' 'dropped retransmitted' loss 1%
	few=yes with_faults 'loss 10 %' 'dropped retransmitted timeouts' loss 10%
	with_faults 'loss in a row' 'dropped retransmitted' loss gemodel 1% 70%
	with_faults 'corruption' 'mangled retransmitted' corrupt 2%
	with_faults 'duplicates' 'duplicates' duplicate 5%
	with_faults 'overtaking' 'out_of_sequence retransmitted' \
		delay 1ms reorder 25%
	few=yes with_faults 'jitter' 'out_of_sequence' delay 2ms 1ms
done
# Timeouts that are much longer than the delay: no packet is retransmitted.
unset INTEROP_TIMEOUT
check "the network" network_has 'delay' delay 10ms
checked place_listens "$pairing" interop_rc "$gid" "$device:$device" "$address"
check "no packet was retransmitted" [ "$(counted retransmitted)" = 0 ]
section=
netem_off left ve0
netem_off right ve0
ends ' iters in ' ibv_rc_pingpong -c -n 50 -g "$gid"
finish
