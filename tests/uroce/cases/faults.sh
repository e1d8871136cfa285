#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# kill -9 of either side at random moments: the survivor gets errors within the
# time that the retries take, nothing leaks, nothing that is dead is mistaken for
# something new; and programs that nobody wrote for this notice it, too.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

rounds=200
! more || rounds=2000

survivor() {
	LANE_COMMAND_TIMEOUT=1200 "$with" lo "$tools/survivor" "$rounds" "$gid" \
		"$1"
}

# notices VICTIM PROGRAM OPTION... - kills one end of a run that would last for
# a minute; the other one must say what has happened to it. That takes a request
# that is not answered, so it is no program whose ends may both be waiting.
notices() {
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
	# The heading comes when both ends are connected and know of each other.
	wait_for 60 grep -qs '#bytes' "$scratch/$survivor"
	sleep "0.$((RANDOM % 9))" # any moment
	start=$SECONDS
	{ # It is what timeout has started. The shell need not tell of it.
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
	check "nothing is left" nothing_left lo
done
row=

on_veth 9000 4
for program in ib_send_bw ib_write_bw ib_read_bw ib_atomic_bw; do
	notices left "$program"
done
notices left ib_read_lat
# The server learns it if it has something to send.
notices right ib_send_bw -b
check "nothing is left on the left" nothing_left left
check "nothing is left on the right" nothing_left right
ends ' iters in ' ibv_rc_pingpong -g "$gid" -n 200 -c
finish
