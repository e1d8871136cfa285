#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Asynchronous events: ibv_asyncwatch reports that a port goes down and comes
# back, in the same words with both libraries.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/device.sh"

# said FILE TIMES TEXT
said() {
	[ "$(grep -c "$3" "$1")" -ge "$2" ]
}

# watch_port LIBRARY - writes the reports to $scratch/LIBRARY.
watch_port() {
	local lib=$1 log=$scratch/$1 pid times row=ibv_asyncwatch column

	column=$(library_label "$lib")
	"$with" "$lib" ibv_asyncwatch -d "$device" >"$log" 2>&1 &
	pid=$!
	check "$lib: ibv_asyncwatch waits" \
		wait_for 60 said "$log" 1 'async event FD' ||
		{ stop "$pid"; return; }
	for times in 1 2; do
		ip link set "$device_switch" down
		check "$lib: port down, time $times" \
			wait_for 60 said "$log" "$times" IBV_EVENT_PORT_ERR
		ip link set "$device_switch" up
		check "$lib: port up, time $times" \
			wait_for 60 said "$log" "$times" IBV_EVENT_PORT_ACTIVE
	done
	check "$lib: ibv_asyncwatch still runs" kill -0 "$pid"
	stop "$pid"
	# Each library has its own descriptor numbers.
	sed -i 's/FD [0-9]*/FD N/' "$log"
}

check "$device comes up" device_up
watch_port distro
watch_port ours
same "same report" "$scratch/distro" "$scratch/ours"
finish
