#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# 64 processes use one address at once: each receives its own messages, and no
# socket is left.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

crowd() {
	LANE_COMMAND_TIMEOUT=600 "$with" lo "$tools/crowd" "$1" "$gid"
}

row=crowd
families=4
! more || families='4 6'
for family in $families; do
	on_lo "$family"
	column=$path
	says "64 processes, 1024 queue pairs" \
		'^64 processes, 1024 queue pairs, 40960 messages' crowd 64
	check "no socket of the device is left" no_socket_left lo
done
! more || says "200 processes" '^200 processes, ' crowd 200
finish
