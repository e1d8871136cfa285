#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Connections by address: the programs of the distribution's librdmacm, on both
# libraries.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/device.sh"
. "$here/../guest/pair.sh"

# works PROGRAM SERVER_OPTION... -- CLIENT_OPTION... - runs all pairings; both
# ends must succeed. @port and @address are replaced by the server's.
works() {
	local pairing program=$1 name row=$1
	local -a both

	shift
	name="$program $*"
	name="$program ${name#*-- }"
	for pairing in $pairings; do
		[ -n "$fixed_port" ] || pair_port=$((pair_port + 1))
		both=("$@")
		both=("${both[@]/#@port/$pair_port}")
		both=("${both[@]/#@address/$device_address}")
		both=("${both[@]/#--/-- $program}")
		# shellcheck disable=SC2086,SC2048 # no argument has a blank
		pair_test "$name" cm_listens "$pairing" '' \
			"$program" ${both[*]}
	done
}

# udp_listens PORT - a UDP socket has the port.
udp_listens() {
	[ -n "$(ss -Hunl "sport = :$1")" ]
}

fixed_port=
check "$device comes up" device_up
# The kernel's soft-iWARP refuses one of two connections now and then (-EINVAL
# in RDMA_CM_EVENT_CONNECT_ERROR), with every library.
[ "$device" != siw0 ] ||
	pair_known_fault='RDMA_CM_EVENT_CONNECT_ERROR, error: -22'

# At its end, rping's server closes a channel that another of its threads reads.
pair_own_race='^rdma_get_cm_event: Bad file descriptor'
works rping -s -a @address -p @port -C 5 -S 200 -V -- \
	-c -a @address -p @port -C 5 -S 200 -V
# The program cannot modify the states of iWARP QPs.
[ "$device" = siw0 ] || works rping -s -a @address -p @port -C 3 -q -- \
	-c -a @address -p @port -C 3 -q
pair_own_race=
works ucmatose -b @address -p @port -c 2 -C 5 -S 64 -- \
	-s @address -p @port -c 2 -C 5 -S 64
# The passive side of Debian's rsockets may send before the active side is ready,
# which ends the connection with that error. Ours waits for its first message.
[ "$device" != siw0 ] || pair_known_fault+='|rconnect: Invalid argument'
# Not with "-T a": its client takes the server's last message for an error if it
# arrives early, with either library.
works rstream -b @address -p @port -I 5 -C 3 -S 1000 -T v -- \
	-s @address -p @port -I 5 -C 3 -S 1000 -T v
works rstream -b @address -p @port -I 5 -C 3 -S 1000 -T b -- \
	-s @address -p @port -I 5 -C 3 -S 1000 -T b
works riostream -b @address -p @port -I 5 -C 3 -S 1000 -- \
	-s @address -p @port -I 5 -C 3 -S 1000

# The port of udaddy is fixed. iWARP has no datagrams.
fixed_port=yes
pair_port=7174
[ "$device" = siw0 ] ||
	works udaddy -b @address -c 2 -C 5 -S 64 -- -s @address -c 2 -C 5 -S 64
fixed_port=
pair_port=21000

# The server of udpong never ends. Debian's datagram rsockets create an address
# handle without a GRH, which RoCE does not have, so its rsendto() fails.
pair_endless=yes
if [ "$device" != siw0 ] && [[ " $pairings " = *" ours:ours "* ]]; then
	for option in b a n e; do
		pair_port=$((pair_port + 1))
		row=udpong
		pair_test "udpong -T $option" udp_listens ours:ours '^custom' \
			udpong -b "$device_address" -p "$pair_port" \
			-T "$option" -- udpong -s "$device_address" \
			-p "$pair_port" -C 100 -T "$option"
	done
fi
pair_endless=

# cmtime's server never ends. Later releases have another, threaded program of
# this name, which does not end here even with their own library.
pair_endless=yes
if with_distro cmtime -h 2>&1 | grep -q num_threads; then
	echo "note cm: ${prefix}no cmtime: this release has another program of that name"
elif [ "$device" != siw0 ]; then
	works cmtime -b @address -p @port -- -s @address -p @port -c 5
fi
finish
