#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# kill -9 of either end at random moments: the surviving end gets errors within
# the time of the retransmissions, nothing leaks, and no packet of a dead
# process affects a new one. Unmodified programs get the errors too.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

rounds=200
! more || rounds=2000

survivor() {
	LANE_COMMAND_TIMEOUT=1200 "$with" lo "$tools/survivor" "$rounds" "$gid" \
		"$1"
}

# test_notices VICTIM PROGRAM OPTION... - kills one end of a run that would take
# a minute; the other end must report the error. Only a request without an
# acknowledgement makes the error visible, so this does not suit programs in
# which both ends may be waiting.
test_notices() {
	local victim=$1 program=$2 name took survivor start rc
	local row=$program column=$path
	local -A pid

	shift 2
	name="$program $*, kill -9 of the $victim end"
	pair_port=$((pair_port + 1))
	rm -f "$scratch/left" "$scratch/right" # nothing of an earlier run
	set -- stdbuf -oL "$program" -F -x "$gid" -p "$pair_port" -D 60 "$@"
	LANE_COMMAND_TIMEOUT=180 "$with" left "$@" >"$scratch/left" 2>&1 &
	pid[left]=$!
	wait_for 60 place_listens "$pair_port"
	LANE_COMMAND_TIMEOUT=180 "$with" right "$@" "$address" \
		>"$scratch/right" 2>&1 &
	pid[right]=$!
	survivor=left
	[ "$victim" = right ] || survivor=right
	# The heading appears when both ends are connected.
	wait_for 60 grep -qs '#bytes' "$scratch/$survivor"
	sleep "0.$((RANDOM % 9))" # any moment
	start=$SECONDS
	{ # timeout started it. Hide the shell's message about the kill.
		pkill -KILL -P "${pid[$victim]}"
		wait "${pid[$victim]}"
	} 2>/dev/null
	wait_for 30 pair_is_gone "${pid[$survivor]}"
	took=$((SECONDS - start))
	kill "${pid[$survivor]}" 2>/dev/null
	wait "${pid[$survivor]}"
	rc=$?
	echo "exit code $rc after $took s" >>"$scratch/$survivor"
	if [ "$rc" -ne 0 ] && [ "$took" -lt 30 ] &&
		grep -Eq 'Failed status 12|Completion with error' \
			"$scratch/$survivor"; then
		pass "$name"
	else
		fail "$name" "$scratch/$survivor"
	fi
}

row=survivor
families=4
! more || families='4 6'
for family in $families; do
	on_lo "$family"
	column=$path
	seed=$RANDOM
	says "$rounds times kill -9, seed $seed" "^survived $rounds times" \
		survivor "$seed"
	tail -n 3 "$scratch/says.log" | sed '$d; s/^/     /'
	check "no socket of the device is left" no_socket_left lo
done
row=

on_veth 9000 4
for program in ib_send_bw ib_write_bw ib_read_bw ib_atomic_bw; do
	test_notices left "$program"
done
test_notices left ib_read_lat
# The server gets the error only if it sends.
test_notices right ib_send_bw -b
check "no socket of the device is left on the left" no_socket_left left
check "no socket of the device is left on the right" no_socket_left right
ends ' iters in ' ibv_rc_pingpong -g "$gid" -n 200 -c
finish
