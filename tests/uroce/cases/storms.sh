#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Storms: 2 to 32 processes, each connected with each, are killed all the time,
# and others take their places. Errors come in time, nothing leaks, and nothing
# that was for the dead reaches those who have their numbers and keys.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

# storm PROCESSES SECONDS
storm() {
	local seed=$RANDOM

	says "$1 processes for $2 s, seed $seed" "^$1 processes, .* killed: " \
		env LANE_COMMAND_TIMEOUT=$(($2 + 240)) "$with" lo \
		"$tools/storm" "$1" "$gid" "$2" "$seed"
	sed 's/^/     /; /exit code/d' "$scratch/says.log"
	check "nothing is left" nothing_left lo
}

# another ROUNDS
another() {
	local seed=$RANDOM

	says "another has the number of a dead one, seed $seed" \
		"^$1 of .* rounds count" env LANE_COMMAND_TIMEOUT=900 \
		"$with" lo "$tools/reuse" "$1" "$gid" "$seed"
	sed 's/^/     /; /exit code/d' "$scratch/says.log"
}

row=storm
families=4
! more || families='4 6'
for family in $families; do
	on_lo "$family"
	column=$path
	if more; then
		storm 2 20
		storm 5 20
		storm 16 40
		storm 32 60
		another 20
	else
		storm 2 3
		storm 8 4
		storm 32 5
		another 2
	fi
done
finish
