#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# In which order a target sees what is written to it, and atomics beside those
# of its own processor. UROCE_LITMUS_ROUNDS says how many rounds each of the ten
# tests has, UROCE_LITMUS_KINDS which of them there are (numbers from 0 on).

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

rounds=10000
! more || rounds=200000
rounds=${UROCE_LITMUS_ROUNDS:-$rounds}
read -ra kinds <<<"${UROCE_LITMUS_KINDS-}"
seed=$RANDOM

litmus() {
	LANE_COMMAND_TIMEOUT=${UROCE_CASE_TIMEOUT:-1700} "$with" lo \
		"$tools/litmus" "$rounds" "$gid" "$seed" "${kinds[@]}"
}

row=litmus
families=4
! more || families='4 6'
for family in $families; do
	on_lo "$family"
	column=$path
	says "$rounds rounds, seed $seed" '^in order: ' litmus
	sed 's/^/     /; /exit code/d' "$scratch/says.log"
	check "nothing is left" nothing_left lo
done
finish
