#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Unresponsive targets: they compute, sleep, hold locks or are stopped. The
# requester completes every operation that needs no code of the target's
# program, and an unresponsive target does not delay operations on other
# targets.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

run_deaf() {
	LANE_COMMAND_TIMEOUT=600 "$with" lo "$tools/unresponsive" "$gid" "$1"
}

row=deaf
times=1
! more || times=20
for family in 4 6; do
	on_lo "$family"
	column=$path
	for ((i = 0; i < times; i++)); do
		says "unresponsive targets" '^all operations completed' \
			run_deaf "$RANDOM"
	done
	sed 's/^/     /; /exit code/d' "$scratch/says.log"
	check "no socket of the device is left" no_socket_left lo
done
finish
