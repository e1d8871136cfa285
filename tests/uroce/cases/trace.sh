#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The layer trace with unmodified programs: the numbers of the summary are those
# that the programs print or have as options, the file of a killed program is
# readable, "ibv_trace top" shows what a running program waits for, and
# "ibv_trace match" finds the messages between two network namespaces.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

export VERBS_LAYERS=trace
nodes=("$tools/with_nodes" "")
# In the tree of the library, as the user's ibv_trace would be.
for ibv_trace in "$LANE_LIB"/../{,../}bin/ibv_trace; do
	[ ! -x "$ibv_trace" ] || break
done

# The folder for the files of the next pair.
traces=
new_traces() {
	traces=$(mktemp -d /tmp/traces.XXXXXX)
	chmod 1777 "$traces"
	export VERBS_TRACE=file=$traces/%p.trace
}

# run_pair PROGRAM OPTION... - server, and client with the server's address.
run_pair() {
	new_traces
	pair_port=$((pair_port + 1))
	pair_run place_listens "${pairing%:*}" "${pairing#*:}" \
		"$1" -p "$pair_port" "${@:2}" -- \
		"$1" -p "$pair_port" "${@:2}" "$address" &&
		[ "$(find "$traces" -name '*.trace' | wc -l)" -eq 2 ]
}

# sums NAME - the sum over the QPs of each process, in increasing order.
sums() {
	python3 "$tools/trace_sums.py" "$ibv_trace" "$traces" |
		sed -n "s/^$1 //p"
}

# has NAME NUMBERS
has() {
	local found

	found=$(sums "$1")
	[ "$found" = "$2" ] || { echo "$1: $found instead of $2"; return 1; }
}

# The server of ib_write_bw posts nothing. -Q 1 requests each completion.
write_bw() {
	run_pair ib_write_bw -F -d "$device" -x "$gid" -n 1000 -s 4096 -Q 1 &&
		has requests '0 1000' && has send_completions '0 1000' &&
		has bytes '0 4096000' &&
		has unmatched '0 0'
}

# One completion for 50 requests.
write_bw_moderated() {
	run_pair ib_write_bw -F -d "$device" -x "$gid" -n 1000 -Q 50 &&
		has requests '0 1000' && has send_completions '0 20' &&
		has unmatched '0 0'
}

send_bw_srq() {
	run_pair ib_send_bw -F -d "$device" -x "$gid" -n 1000 -s 512 -q 2 \
		--use-srq &&
		has requests '0 2000' && has recv_completions '0 2000' &&
		has unmatched '0 0'
}

pingpong() {
	run_pair ibv_rc_pingpong -d "$device" -g "$gid" -n 500 -s 2048 &&
		has requests '500 500' && has recv_completions '500 500' &&
		has recv_bytes '1024000 1024000' && has unmatched '0 0'
}

# UCX adds headers to each message.
ucx() {
	UCX_IB_GID_INDEX=$gid UCX_TLS=rc_v UCX_NET_DEVICES=$device:1 \
		run_ucx ucx_perftest -t tag_bw -n 1000 -w 0 -s 4096 &&
		has unmatched '0 0' &&
		[ "$(sums bytes |
			awk '{ print ($2 >= 4096000) }')" = 1 ]
}

run_ucx() {
	new_traces
	pair_port=$((pair_port + 1))
	pair_run place_listens lo lo "${nodes[@]}" "$1" -p "$pair_port" \
		"${@:2}" -- "${nodes[@]}" "$1" -p "$pair_port" "${@:2}" "$address"
}

# start_send_bw [OPTION...] - a pair that sends for a minute; $launcher is the
# parent of the server, which has posted requests when it prints the heading.
start_send_bw() {
	new_traces
	pair_port=$((pair_port + 1))
	"$with" lo stdbuf -oL ib_send_bw -F -d "$device" -x "$gid" -D 60 \
		-p "$pair_port" "$@" >"$scratch/server" 2>&1 &
	launcher=$!
	wait_for 60 place_listens "$pair_port"
	"$with" lo ib_send_bw -F -d "$device" -x "$gid" -D 60 -p "$pair_port" \
		"$@" "$address" >"$scratch/client" 2>&1 &
	wait_for 60 grep -qs '#bytes' "$scratch/server"
}

# The client ends when its server does not respond.
kill_send_bw() {
	{ # the shell reports a kill
		pkill -KILL -P "$launcher"
		wait "$launcher"
		wait
	} 2>/dev/null
}

killed() {
	local launcher

	start_send_bw
	kill_send_bw
	has unmatched '0 0' &&
		[ "$(sums recv_requests | awk '{ print ($2 > 0) }')" = 1 ]
}

# has_top PATTERN - the table of a process of the pair has a line that matches
has_top() {
	local file

	for file in "$traces"/*.trace; do
		file=${file##*/}
		"$ibv_trace" top --once "${file%.trace}"
	done >"$scratch/top" 2>&1
	grep -q "$1" "$scratch/top"
}

# A client whose server is stopped waits for it, here for 4 s: -u is the timeout.
top() {
	local launcher good=1

	start_send_bw -u 17
	has_top '^ib_send_bw (process [0-9]*), traced for .*, 1 QPs$' || good=0
	pkill -STOP -P "$launcher"
	wait_for 60 has_top ' RTS .* acknowledgement (SEND)$' || good=0
	kill_send_bw
	[ "$good" = 1 ] || { cat "$scratch/top"; return 1; }
}

# matched QPS SENT RECEIVED PROGRAM OPTION... - a pair whose client sends and
# receives so many messages through so many QPs, all of which are matched.
matched() {
	run_pair "${@:4}" -F -d "$device" -x "$gid" &&
		python3 "$tools/trace_matched.py" "$ibv_trace" "$traces" \
			"${@:1:3}"
}

on_lo 4
check "ib_write_bw: requests, bytes and completions" write_bw
check "ib_write_bw -Q 50: one completion for 50 requests" write_bw_moderated
check "ib_send_bw --use-srq: two QPs" send_bw_srq
check "ibv_rc_pingpong: sends and receives" pingpong
check "ucx_perftest: bytes" ucx
check "ib_send_bw that is killed: its file is readable" killed
check "ib_send_bw whose server is stopped: top shows the reason" top
on_veth 1500 4
check "ib_send_lat: messages of both namespaces" \
	matched 1 1000 1000 ib_send_lat -n 1000
check "ib_send_bw -q 3 -Q 20 --use-srq: messages of both namespaces" \
	matched 3 3000 0 ib_send_bw -q 3 -n 1000 -Q 20 --use-srq
check "ib_send_lat -c UC: messages of both namespaces" \
	matched 1 1000 1000 ib_send_lat -n 1000 -c UC
finish
