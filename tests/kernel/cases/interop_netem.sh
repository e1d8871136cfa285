#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The device in user space and the kernel's rdma_rxe over a network that loses,
# duplicates or corrupts packets: every operation completes for either
# requester.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/pair.sh"
. "$here/../guest/checked.sh"
. "$here/../guest/two_ends.sh"
. "$here/../guest/netem.sh"

export INTEROP_TIMEOUT=16 INTEROP_NO_FENCE=rxe
mtu=1500

# network_has FAULT... - sets the faults in both directions, and starts to
# count.
network_has() {
	count_from_here
	netem_on near fe0 "$mtu" "$@" && netem_on far fe1 "$mtu" "$@"
}

dropped() {
	echo $(($(netem_dropped near fe0) + $(netem_dropped far fe1)))
}

# perftest PROGRAM OPTION... - runs with the server at either end.
perftest() {
	local pairing row=$1

	for pairing in far:distro distro:far; do
		pair_port=$((pair_port + 1))
		pair_test "$*" interop_listens "$pairing" '^ *#bytes' \
			"$1" -F -u 16 -d "$(device_of "${pairing%:*}")" -x "$gid" \
			-p "$pair_port" "${@:2}" -- \
			"$1" -F -u 16 -d "$(device_of "${pairing#*:}")" -x "$gid" \
			-p "$pair_port" "${@:2}" "$(address_of "${pairing%:*}")"
	done
}

# with_fault NAME FAULT... - runs all programs.
with_fault() {
	local pairing

	section="$1, IPv$family: "
	check "the network" network_has "${@:2}" || return
	gid=$(gid_of "$family")
	for pairing in far:distro distro:far; do
		section="$1, IPv$family, $pairing: "
		checked interop_listens "$pairing" interop_rc "$gid" \
			"$(device_of "${pairing%:*}"):$(device_of "${pairing#*:}")" \
			"$(address_of "${pairing%:*}")"
	done
	section="$1, IPv$family: "
	perftest ib_send_bw -s 10000 -n 20 -t 4
	perftest ib_write_bw -s 10000 -n 20 -t 4
	perftest ib_read_bw -o 4 -s 10000 -n 20 -t 4
	echo "     retransmitted $(counted retransmitted)," \
		"out of sequence $(counted out_of_sequence)," \
		"duplicates $(counted duplicates), bad ICRC $(counted bad_icrc)"
}

# happened NUMBER WHAT
happened() {
	check "the fault occurred: $2 $1" [ "$1" -gt 0 ]
}

if self_test; then
	echo "note $case_name: not with the distribution's library (self test)"
	finish
fi
check "the kernel has the netem modules" netem_modules || finish
check "the two devices come up" interop_up "$mtu"
for family in 4 6; do
	with_fault 'loss 1 %' loss 1%
	happened "$(dropped)" dropped
	happened "$(counted retransmitted)" retransmitted
	with_fault 'duplicates' duplicate 5%
	happened "$(counted duplicates)" duplicates
	# rxe sends no UDP checksum, so only the ICRC detects corruption.
	with_fault 'corruption' corrupt 1%
	happened "$(counted bad_icrc)" bad_icrc
done
section=
netem_off near fe0
netem_off far fe1
check "the devices are removed" interop_down
finish
