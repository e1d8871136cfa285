#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# gloo's ibverbs transport, on loopback: reductions, broadcast and gathering.
# Debian has no program that selects this transport (PyTorch uses only gloo's
# TCP transport), so a tool calls the packaged library. The tool cannot close
# the device, which would log the counters, so the kernel's counter of datagrams
# shows the path.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"
. "$here/../world/counters.sh"

# run_gloo PROCESSES
run_gloo() {
	local processes=$1 folder=$scratch/gloo.$1 rank bad=0
	local -a pids=()

	mkdir "$folder" && chmod 1777 "$folder" || return 1
	for ((rank = 0; rank < processes; rank++)); do
		"$with" lo "$tools/gloo_check" "$rank" "$processes" "$folder" \
			"$device" "$gid" &
		pids+=($!)
	done
	for rank in "${!pids[@]}"; do
		wait "${pids[rank]}" || {
			echo "process $rank: exit code $?"
			bad=1
		}
	done
	return "$bad"
}

# sent_on_path DATAGRAMS - no other transport is in the program, so data that
# did not use the network used shared memory.
sent_on_path() {
	echo "$1 datagrams"
	if [ "$UROCE_LOCAL" = none ]; then
		[ "$1" -ge 1000 ]
	else
		[ "$1" -eq 0 ]
	fi
}

on_lo 4
row=gloo
column=$path
for processes in 2 4; do
	before=$(datagrams)
	says "collectives of $processes processes" \
		"process 1 of $processes: ([0-9]+) of \1 right" \
		run_gloo "$processes"
	check "collectives of $processes processes: the path" \
		sent_on_path $(($(datagrams) - before))
done
finish
