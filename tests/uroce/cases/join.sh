#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Opening the device while other processes interfere: another user has taken the
# names of the bootstrap sockets or UDP port 4791, members of the port group are
# stopped, a child of fork() continues to live. Opening takes a limited time,
# and the port becomes ACTIVE as soon as it can. The sockets of the port never
# reach another user, even if the process has changed its user id or the user id
# has no mapping in the user namespace.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"
. "$here/../world/denied.sh"

export UROCE_DEVICES=lo LD_LIBRARY_PATH=/run/lane/ours
unmapped=(unshare --user)
# Limits in ms: to open the device, to open it if a member responds, and to
# become ACTIVE.
open=2500
quick=1000
recover=3000
# Steps of join: the device is opened a second time and the port is DOWN; it
# becomes ACTIVE after a line.
fork_down=("open=$open,down" close "fork=$open,down" line "active=$recover")
declare -A pids inputs

# two_ends TEXT COMMAND... - one test: two processes use shared memory.
two_ends() {
	local -a conditions=('shm_pairs>0')
	local -x UROCE_COMMAND_TIMEOUT=20

	test_two_ends "$1" memory "${@:2}" -- "${@:2}"
}

# select_user UID - sets $user to a prefix of commands. If another user than
# root runs the tests, there is only one.
select_user() {
	user=(setpriv "--reuid=$1" "--regid=$1" --clear-groups)
	[ ! -e /run/lane/user ] ||
		user=(nsenter --user=/run/lane/user --preserve-credentials)
}

# start NAME UID COMMAND... - starts a process, with its output in
# $scratch/NAME.
start() {
	local name=$1 input

	select_user "$2"
	: >"$scratch/$name"
	mkfifo "$scratch/$name.input"
	exec {input}<>"$scratch/$name.input"
	inputs[$name]=$input
	"${user[@]}" "${@:3}" <&"$input" >"$scratch/$name" 2>&1 &
	pids[$name]=$!
}

printed() {
	grep -q -- "^$2" "$scratch/$1" || pair_is_gone "${pids[$1]}"
}

# expect TEXT NAME PATTERN - one test: the process prints a line.
expect() {
	local line

	wait_for 30 printed "$2" "$3"
	line=$(grep -m 1 -- "^$3" "$scratch/$2")
	if [ -n "$line" ]; then
		pass "$1: $line"
	else
		echo "expected: $3" >>"$scratch/$2"
		fail "$1" "$scratch/$2"
	fi
}

# send NAME [LINE]
send() {
	echo "${2-}" >&"${inputs[$1]}"
}

# end NAME... - ends processes. The process group has the children of join.
end() {
	local name input

	for name; do
		input=${inputs[$name]}
		kill -CONT "${pids[$name]}" 2>/dev/null
		kill -KILL -- "${pids[$name]}" "-${pids[$name]}" 2>/dev/null
		wait "${pids[$name]}" 2>/dev/null
		exec {input}>&-
		rm "$scratch/$name.input"
	done
}

# opens TEXT UID LIMIT STATE - one test: the device can be opened.
opens() {
	select_user "$2"
	says "$1 opens" '^opened' "${user[@]}" "$tools/join" "open=$3,$4"
}

# become_active TEXT NAME... - the processes were opened before it was possible.
become_active() {
	local name

	for name in "${@:2}"; do
		send "$name"
	done
	for name in "${@:2}"; do
		expect "$1: $name" "$name" 'became active'
	done
}

# exchange TEXT NAME NAME - sends the address of each process to the other.
exchange() {
	local name

	for name in "$2" "$3"; do
		wait_for 30 printed "$name" 'address '
	done
	send "$2" "$(sed -n 's/^address //p' "$scratch/$3")"
	send "$3" "$(sed -n 's/^address //p' "$scratch/$2")"
	for name in "$2" "$3"; do
		expect "$1: $name" "$name" 'exchanged'
	done
}

# test_squatted TEXT MODE NAME... - another user has taken names.
test_squatted() {
	local id text="$1, $2"

	start squatter 65533 "$tools/squat" "${@:2}"
	wait_for 30 printed squatter ready
	for id in 0 1000; do
		opens "$text: uid $id" "$id" "$open" active
	done
	[[ $1 != @(all|local)* ]] || for id in 0 1000; do
		UROCE_UID=$id two_ends "$text: traffic of uid $id" env
	done
	end squatter
}

test_all_squatted() {
	local mode
	local -a slots=({0,1000}.{0..255}) locals=({0,1000}.local.{0..255})
	local -a inboxes=({0,1000}.{0..255}.in)

	for mode in bind listen full; do
		test_squatted 'one name' "$mode" {0,1000}.0
		test_squatted '255 names' "$mode" {0,1000}.{1..255}
		test_squatted '256 names' "$mode" "${slots[@]}"
		test_squatted 'local names' "$mode" "${locals[@]}"
		test_squatted 'the name join' "$mode" {0,1000}.join
		test_squatted 'all names' "$mode" "${slots[@]}" "${locals[@]}" \
			"${inboxes[@]}" {0,1000}.join
	done
	test_squatted 'inbox names' bind "${inboxes[@]}"
}

# children_live NAME - whether children of an ended process live.
children_live() {
	pair_is_gone "${pids[$1]}" && kill -0 -- "-${pids[$1]}"
}

# test_child_keeps_nothing TEXT NAME - ends a process; its children live.
test_child_keeps_nothing() {
	send "$2"
	wait "${pids[$2]}"
	check "$1: the children live" children_live "$2"
	opens "$1: another user" 1000 "$open" active
	check "$1: the children still live" children_live "$2"
}

test_port_taken() {
	local -x UROCE_LOCAL=none
	local text='the port is taken'

	start squatter 65533 "$tools/squat" udp
	wait_for 30 printed squatter ready
	start first 0 "$tools/join" "${fork_down[@]}" traffic=100 line
	expect "$text" first 'forked'
	expect "$text" first 'opened'
	end squatter
	become_active 'the port is free again' first
	start second 0 "$tools/join" "open=$open,active" traffic=100 line
	exchange 'traffic after that' first second
	end second
	test_child_keeps_nothing "$text" first
	end first
}

test_child_of_squatted() {
	start squatter 65533 "$tools/squat" full {0,1000}.{0..255} {0,1000}.join
	wait_for 30 printed squatter ready
	start first 0 "$tools/join" "open=$open,active" close \
		"fork=$open,active" line
	expect 'fork with squatted names' first 'forked'
	expect 'fork with squatted names' first 'opened'
	test_child_keeps_nothing 'fork with squatted names' first
	end first squatter
}

is_stopped() {
	grep -qs '^State:[[:space:]]*T' "/proc/${pids[$1]}/status" ||
		pair_is_gone "${pids[$1]}"
}

# start_members NUMBER - sets $members to the names of new processes.
start_members() {
	local i

	members=()
	for ((i = 1; i <= $1; i++)); do
		members+=("member$i")
		start "member$i" 0 "$tools/join" "open=$open,active" line
		wait_for 30 printed "member$i" opened
	done
}

stop_members() {
	local name

	for name in "${members[@]}"; do
		kill -STOP "${pids[$name]}" 2>/dev/null
		wait_for 30 is_stopped "$name"
	done
}

# test_stopped NUMBER - the running member has the last slot.
test_stopped() {
	start_members "$1"
	start running 0 "$tools/join" "open=$open,active" line
	wait_for 30 printed running opened
	stop_members
	opens "$1 stopped, 1 running member: another process" 0 "$quick" active
	end running "${members[@]}"
}

# test_only_stopped NUMBER
test_only_stopped() {
	local name text="$1 stopped member(s)"

	start_members "$1"
	stop_members
	start first 0 "$tools/join" "${fork_down[@]}" line
	expect "$text" first 'forked'
	expect "$text" first 'opened'
	for name in "${members[@]}"; do
		kill -CONT "${pids[$name]}" 2>/dev/null
	done
	become_active "$text continue" first
	end "${members[@]}"
	[ -e /run/lane/user ] || test_child_keeps_nothing "$text" first
	end first
}

# expect_no_socket TEXT UID COMMAND... - one test: the user gets no descriptor.
expect_no_socket() {
	select_user "$2"
	says "$1" ': 0 descriptors' "${user[@]}" "${@:3}" "$tools/squat" ask
}

# test_dropped_user - like a daemon that opens the device as root.
test_dropped_user() {
	local text='a daemon with a new uid'

	start daemon 0 "$tools/join" "open=$open,active" user=1000 line
	expect "$text" daemon 'changed'
	expect_no_socket "$text: its new user gets no socket" 1000
	expect_no_socket "$text: another user gets no socket" 65533
	start first 0 "$tools/join" "open=$open,down" line "active=$recover"
	expect "$text: root" first 'opened'
	end daemon
	become_active "$text has ended" first
	end first
}

test_unmapped_user() {
	local text='unmapped users'
	local -x UROCE_UID=1000

	start first 1000 "${unmapped[@]}" "$tools/join" "open=$open,active" line
	expect "$text" first 'opened'
	expect_no_socket "$text: another unmapped user gets no socket" 2000 \
		"${unmapped[@]}"
	start second 2000 "${unmapped[@]}" "$tools/join" "open=$open,down" line \
		"active=$recover"
	expect "$text: another unmapped user" second 'opened'
	end first
	become_active "$text: the first one has ended" second
	end second
	two_ends "$text: one user in two user namespaces" "${unmapped[@]}"
}

row=uroce_join
on_lo 4
column=$path
for number in 1 4; do
	test_stopped "$number"
	test_only_stopped "$number"
done
if ! only_as_root 'other users'; then
	test_all_squatted
	test_port_taken
	test_child_of_squatted
	test_dropped_user
	test_unmapped_user
fi
check "no socket of the device is left" no_socket_left lo
finish
