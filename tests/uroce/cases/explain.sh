#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# VERBS_EXPLAIN=1 with unmodified programs that fail in typical ways: the message
# names the cause. Programs that work print no message.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

export VERBS_EXPLAIN=1

# start_server PROGRAM OPTION... - sets $launcher to the pid of its launcher.
start_server() {
	pair_port=$((pair_port + 1))
	"$with" lo stdbuf -oL "$@" -p "$pair_port" >"$scratch/server" 2>&1 &
	launcher=$!
	wait_for 60 place_listens "$pair_port"
}

# run_client PROGRAM OPTION...
run_client() {
	"$with" lo timeout 60 "$@" -p "$pair_port" "$address" \
		>"$scratch/client" 2>&1
}

# shows FILE PATTERN - prints the file if no message has the pattern.
shows() {
	grep -Eq "^verbs-explain: .*$2" "$scratch/$1" ||
		{ cat "$scratch/$1"; return 1; }
}

gid_index_missing() {
	start_server ibv_rc_pingpong -d "$device"
	run_client ibv_rc_pingpong -d "$device"
	wait "$launcher"
	shows server 'INIT -> RTR\): EINVAL: the address has no GRH, which port 1 '
}

# The client has posted requests when its output has the heading.
peer_killed() {
	local client

	start_server ib_send_bw -F -x "$gid" -D 60
	run_client ib_send_bw -F -x "$gid" -D 60 &
	client=$!
	wait_for 60 grep -qs '#bytes' "$scratch/server"
	{ # the shell reports a kill
		pkill -KILL -P "$launcher"
		wait "$launcher"
	} 2>/dev/null
	! wait "$client" || return 1
	shows client 'RETRY_EXC_ERR \(12\): .* retry_cnt 7.* Peer: QP 0x' &&
		shows client 'WR_FLUSH_ERR .* first error was RETRY_EXC_ERR' &&
		[ "$(grep -c '^verbs-explain: .*WR_FLUSH_ERR' \
			"$scratch/client")" -eq 1 ]
}

works_in_silence() {
	start_server "$@" &&
		run_client "$@" && wait "$launcher" &&
		! grep 'verbs-explain' "$scratch/server" "$scratch/client"
}

on_lo 4
check "ibv_rc_pingpong without a GID index" gid_index_missing
check "ib_send_bw whose server is killed" peer_killed
check "ibv_rc_pingpong that works" \
	works_in_silence ibv_rc_pingpong -d "$device" -g "$gid"
check "ib_write_lat that works" works_in_silence ib_write_lat -F -x "$gid"
finish
