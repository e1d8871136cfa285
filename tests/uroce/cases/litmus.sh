#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Memory order: in which order a target sees written data, and atomics
# concurrent with those of the target's own processor. UROCE_LITMUS_ROUNDS is
# the number of rounds of each of the ten kinds, UROCE_LITMUS_KINDS selects
# kinds (numbers from 0 on).

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

rounds=10000
! more || rounds=200000
rounds=${UROCE_LITMUS_ROUNDS:-$rounds}
read -ra kinds <<<"${UROCE_LITMUS_KINDS-}"
seed=$RANDOM

run_litmus() {
	LANE_COMMAND_TIMEOUT=${UROCE_CASE_TIMEOUT:-1700} "$with" lo \
		"$tools/litmus" "$rounds" "$gid" "$seed" "${kinds[@]}"
}

row=litmus
families=4
! more || families='4 6'
for family in $families; do
	on_lo "$family"
	column=$path
	says "$rounds rounds, seed $seed" '^in order: ' run_litmus
	sed 's/^/     /; /exit code/d' "$scratch/says.log"
	check "no socket of the device is left" no_socket_left lo
done
finish
