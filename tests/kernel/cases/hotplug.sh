#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A device is removed while programs have it open and packets are in flight: no
# program crashes or hangs, no list contains the device any more, and it can
# come back under the same name, also for a process that had opened the old one.
#
# rxe waits for its users: the kernel takes the device out of every list and its
# node out of /dev at once, and then "rdma link del" waits until the last
# process has closed it. So the deletion runs in the background here.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/pair.sh"

is_listed() {
	with_ours ibv_devices | grep -q '\brxe0\b'
}

is_not_listed() {
	! is_listed
}

begin_deletion() {
	rdma link del rxe0 >"$scratch/deletion" 2>&1 &
	deletion=$!
	wait_for 60 is_not_listed
}

end_deletion() {
	wait_for 60 pair_is_gone "$deletion" &&
		wait "$deletion"
}

# The distribution's programs run, server and client both with LIBRARY.
pingpong_in_flight() {
	local lib=$1 server client
	local options=(-d rxe0 -g "$rxe_gid_index" -p 22000 -n 10000000 -r 32)

	section="$lib: pingpong in flight: "
	check "rxe0 comes up" rxe_up
	sent_before=$(packets_sent)
	"$with" "$lib" ibv_rc_pingpong "${options[@]}" >"$scratch/server" 2>&1 &
	server=$!
	wait_for 60 tcp_listens 22000
	"$with" "$lib" ibv_rc_pingpong "${options[@]}" "$rxe_address" \
		>"$scratch/client" 2>&1 &
	client=$!
	check "packets flow" wait_for 60 packets_flow
	check "the next list lacks the device" begin_deletion
	sleep 1
	check "the client still runs" runs_until_ended "$client" "$scratch/client"
	check "the server still runs" runs_until_ended "$server" "$scratch/server"
	check "the device is removed after both have ended" end_deletion
	check "the device comes back under its name" rxe_up
	check "the new device is listed" is_listed
}

packets_sent() {
	cat /sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts
}

packets_flow() {
	[ "$(packets_sent)" -gt $((sent_before + 100)) ]
}

# runs_until_ended PID OUTPUT - checks that the program runs until it gets
# SIGTERM.
runs_until_ended() {
	local rc

	kill "$1" 2>/dev/null
	wait "$1"
	rc=$?
	cat "$2"
	echo "ended with $rc"
	[ "$rc" -eq 143 ]
}

# send_word WORD - sends one word to device_life and reads one line.
send_word() {
	local answer

	echo "$1" >&"${life[1]}"
	if read -r -t 20 answer <&"${life[0]}"; then
		echo "$answer" >>"$transcript"
	else
		echo "$1: no response" >>"$transcript"
	fi
}

# One process runs through the whole life of a device and of its successor.
one_process() {
	local lib=$1 word life_input life_pid

	section="$lib: one process: "
	check "rxe0 comes up" rxe_up
	transcript=$scratch/transcript.$lib
	: >"$transcript"
	coproc life { exec "$with" "$lib" "$tools/device_life" rxe0 "$rxe_gid_index" 2>&1; }
	life_pid=$!
	life_input=${life[1]}
	for word in list fds open traffic keep flood; do
		send_word "$word"
	done
	check "the next list lacks the device" begin_deletion
	for word in list poke close kept list fds; do
		send_word "$word"
	done
	check "the device is removed after it was closed" end_deletion
	send_word list
	check "the device comes back under its name" rxe_up
	for word in list open traffic close fds list; do
		send_word "$word"
	done
	exec {life_input}>&-
	check "the process succeeds" wait "$life_pid"
}

expected() {
	cat <<-END
	list yes
	fds N
	open ok
	traffic ok
	keep ok
	flood ok
	list no
	poke ok
	close ok
	kept $1
	list no
	fds N
	list no
	list yes
	open ok
	traffic ok
	close ok
	fds N
	list yes
	END
}

# Descriptors that the library keeps open after its first call may stay; a
# second life must not cost more.
check_steps() {
	local lib=$1 kept

	section="$lib: one process: "
	kept=$(sed -n 's/^kept //p' "$transcript")
	sed 's/^fds .*/fds N/' "$transcript" >"$transcript.plain"
	case $kept in
	E*) pass "the device of an older list cannot be opened ($kept)" ;;
	*) fail "the device of an older list cannot be opened ($kept)" ;;
	esac
	expected "$kept" >"$scratch/expected"
	same "every step has the expected result" "$scratch/expected" \
		"$transcript.plain"
	check "no descriptor is left open" same_descriptors
}

same_descriptors() {
	sed -n 's/^fds //p' "$transcript" >"$scratch/fds"
	cat "$scratch/fds"
	[ "$(sort -u "$scratch/fds" | wc -l)" -eq 1 ]
}

for lib in distro ours; do
	pingpong_in_flight "$lib"
done
for lib in distro ours; do
	one_process "$lib"
	check_steps "$lib"
done
section=
check "rxe0 works at the end" with_ours ibv_devinfo -d rxe0
finish
