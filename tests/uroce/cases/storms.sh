#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Storms: 2 to 32 processes, each connected with each, are killed all the time,
# and new processes take their places. Errors arrive in time, nothing leaks, and
# no message for a dead process reaches a new process with the same numbers and
# keys.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

# run_storm PROCESSES SECONDS
run_storm() {
	local seed=$RANDOM

	says "$1 processes for $2 s, seed $seed" "^$1 processes, .* killed: " \
		env LANE_COMMAND_TIMEOUT=$(($2 + 240)) "$with" lo \
		"$tools/storm" "$1" "$gid" "$2" "$seed"
	sed 's/^/     /; /exit code/d' "$scratch/says.log"
	check "no socket of the device is left" no_socket_left lo
}

# run_reuse ROUNDS - with one worker, whose slot is that of the dead process.
run_reuse() {
	local seed=$RANDOM

	says "a new process has the number of a dead one, seed $seed" \
		"^$1 of .* rounds count" env LANE_COMMAND_TIMEOUT=900 \
		UROCE_WORKERS=1 "$with" lo "$tools/reuse" "$1" "$gid" "$seed"
	sed 's/^/     /; /exit code/d' "$scratch/says.log"
}

row=storm
families=4
! more || families='4 6'
for family in $families; do
	on_lo "$family"
	column=$path
	if more; then
		run_storm 2 20
		run_storm 5 20
		run_storm 16 40
		run_storm 32 60
		run_reuse 20
	else
		run_storm 2 3
		run_storm 8 4
		run_storm 32 5
		run_reuse 2
	fi
done
finish
