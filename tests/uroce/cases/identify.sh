#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The bits that the ICRC of IPv4 verifies: sources with several kinds of IP
# identifications send packets with every other identification and random ICRCs.
# One of 2^24 may be accepted; sources that restart, lose and reorder packets
# lose nothing, or one packet more.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

random=250000
! more || random=16777216
log=$scratch/identify.log

identify() {
	: >"$log"
	chmod 666 "$log"
	LANE_COMMAND_TIMEOUT=600 VERBS_LOG_LEVEL=3 VERBS_LOG_FILE=$log \
		"$with" lo "$tools/identify" "$random" "$gid"
}

row=identify
on_lo 4
column=$path
says "identifications that are accepted" \
	'^all identifications are accepted or refused as they must be' identify
cat "$scratch/says.log"
says "refused packets are counted" 'rx_ip_id_refused [1-9]' cat "$log"
says "sources without an order are counted" 'rx_ip_id_unordered [1-9]' \
	cat "$log"
check "no socket of the device is left" no_socket_left lo
finish
