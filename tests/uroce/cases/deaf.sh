#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Targets that compute, sleep, hold locks or are stopped: what can be done
# without them is done, and nobody else waits for them.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

deaf() {
	LANE_COMMAND_TIMEOUT=600 "$with" lo "$tools/deaf" "$gid" "$1"
}

row=deaf
times=1
! more || times=20
for family in 4 6; do
	on_lo "$family"
	column=$path
	for ((i = 0; i < times; i++)); do
		says "targets that do not listen" '^all have answered' \
			deaf "$RANDOM"
	done
	sed 's/^/     /; /exit code/d' "$scratch/says.log"
	check "nothing is left" nothing_left lo
done
finish
