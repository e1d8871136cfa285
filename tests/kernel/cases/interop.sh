#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The device in user space communicates with the kernel's rdma_rxe: every
# operation, with either as the requester, over IPv4 and IPv6, with both
# libraries at rxe's end; and operations that both must refuse. The network
# loses no packet, so rxe must not count an unexpected one.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/pair.sh"
. "$here/../guest/checked.sh"
. "$here/../guest/two_ends.sh"

# checks PROGRAM FAMILY SERVER:CLIENT
checks() {
	section="$1, IPv$2, $3: "
	checked interop_listens "$3" "$1" "$(gid_of "$2")" \
		"$(device_of "${3%:*}"):$(device_of "${3#*:}")" \
		"$(address_of "${3%:*}")"
}

# wrong_icrc FAMILY PLACE - sends ten packets there, of which only one has a
# correct ICRC.
wrong_icrc() {
	local gid from=ours row=interop_icrc column

	gid=$(gid_of "$1")
	[ "$2" = far ] || from=far
	column=$(pairing_label "far:$2")
	section="IPv$1: "
	pair_port=$((pair_port + 1))
	counters_save
	pair_test "packets with a wrong ICRC" interop_listens "$2:$from" \
		'9 wrong packets and a correct one' \
		"$tools/interop_icrc" "$(device_of "$2")" "$gid" "$pair_port" -- \
		"$tools/interop_icrc" - "$gid" "$pair_port" "$(address_of "$2")"
	[ "$2" = far ] || check "rxe accepted one packet" [ "$(counter rcvd_pkts)" = 1 ]
}

# A full socket would be another reason for rxe's counters.
full_sockets() {
	# shellcheck disable=SC2016 # awk expands them
	ip netns exec far awk '
		$1 == "Udp:" && $6 ~ /[0-9]/ { ipv4 = $6 }
		$1 == "Udp6RcvbufErrors" { ipv6 = $2 }
		END { print "lost:", ipv4, ipv6; exit ipv4 != 0 || ipv6 != 0 }' \
		/proc/net/snmp /proc/net/snmp6
}

quiet_rxe() {
	section="IPv$1: "
	# shellcheck disable=SC2086 # words
	check "rxe counted no unexpected packet" counters_unchanged $never
}

if self_test; then
	echo "note $case_name: not with the distribution's library (self test)"
	finish
fi
check "the two devices come up" interop_up
for family in 4 6; do
	counters_save
	checks interop_rc "$family" far:ours
	[ "$family" = 6 ] || checks interop_rc "$family" distro:far
	quiet_rxe "$family"
	echo "     rxe: $(counter sent_pkts) packets sent, $(counter rcvd_pkts) received"
	checks interop_rest "$family" ours:far
	[ "$family" = 6 ] || checks interop_rest "$family" far:distro
	for place in far ours distro; do
		wrong_icrc "$family" "$place"
	done
done
section=
# run_lane decodes the capture, which must contain all of these: RC except
# FLUSH, UC, UD. Only some kernels have ATOMIC WRITE.
cp "$INTEROP_CAPTURE" "$LANE_OUT/interop.pcap"
echo {0..20} 22 23 {32..43} 100 101 >"$LANE_OUT/interop.opcodes"
check "no packet was lost at a full socket" full_sockets
check "the devices are removed" interop_down
finish
