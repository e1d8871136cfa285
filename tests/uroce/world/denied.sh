# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash source-path=SCRIPTDIR
# shellcheck disable=SC2034,SC2154 # between networks.sh and the case
#
# Runs two processes that are denied something, and checks the counters that
# show which path they used instead. The case "denied" sources this file after
# networks.sh.

. "$world/counters.sh"

rounds=100

# The path between both ends if nothing is denied.
default_path=memory
[ "$UROCE_LOCAL" != none ] || default_path=network

# A library to preload.
preload=

# run_both COMMAND... - runs all kinds of operations between two processes, one
# of which makes verbs calls only now and then, and compares the transferred
# data. Sets $used_path: memory, network or none.
run_both() {
	local before
	local -a with_library=()

	[ -z "$preload" ] || with_library=(env LD_PRELOAD="$preload")
	before=$(datagrams)
	used_path=none
	fresh_log
	"$with" lo "${with_library[@]}" "$@" "$rounds" "$gid" 1 >>"$log" 2>&1 ||
		{ echo "exit code $?" >>"$log"; return 1; }
	grep -q '^in order: ' "$log" || return 1
	used_path=memory
	[ "$(($(datagrams) - before))" -eq 0 ] || used_path=network
}

# expect_path NAME PATH [CONDITION]... - reports the result of run_both. PATH is
# memory, network, works (memory or network), or a pattern of the log that must
# be there if the run fails.
expect_path() {
	local name=$1 expected=$2 good=

	shift 2
	case $expected in
	memory | network) [ "$used_path" != "$expected" ] || good=$used_path ;;
	works) [ "$used_path" = none ] || good=$used_path ;;
	*) [ "$used_path" != none ] || ! grep -Eq -- "$expected" "$log" || good=$expected ;;
	esac
	if [ -n "$good" ] && counters_are "$@"; then
		pass "$name: $good${*:+, $*}"
	else
		echo "path: $used_path; expected: $expected" >>"$log"
		fail "$name" "$log"
	fi
}

# test_denied RULES PATH [CONDITION]... - denies RULES to both ends.
test_denied() {
	local rules=$1

	shift
	run_both "$tools/deny" "$rules" "$tools/litmus"
	expect_path "without $rules${preload:+ and GSO}" "$@"
}

# test_own_denied RULES PATH [CONDITION]... - denies RULES to a process whose
# queue pairs are connected with each other.
test_own_denied() {
	local rules=$1

	shift
	run_both "$tools/deny" "$rules" "$tools/own_peer"
	expect_path "a process connected with itself without $rules" "$@"
}

# test_own_full PATH [CONDITION]... - the same without a descriptor left.
test_own_full() {
	run_both prlimit --nofile=128 "$tools/own_peer" full
	expect_path "a process connected with itself without descriptors" "$@"
}

# test_cma_setting VALUE CONDITION... - runs both ends with UROCE_CMA=VALUE.
test_cma_setting() {
	local -x UROCE_CMA=$1

	shift
	run_both "$tools/litmus"
	expect_path "UROCE_CMA=$UROCE_CMA" memory "$@"
}

# test_is_called RULE... - controls that the program makes a call that was
# denied above: a program that is killed for the call ends.
test_is_called() {
	local rule

	for rule; do
		rule=${rule%!*}
		run_both "$tools/deny" "$rule!kill" "$tools/litmus"
		expect_path "$rule ends the program" 'exit code (1|159)$'
	done
}

# test_is_not_called RULE... - controls that the program does not make a call: a
# program that would be killed for the call runs to its end.
test_is_not_called() {
	local rule

	for rule; do
		run_both "$tools/deny" "$rule!kill" "$tools/litmus"
		expect_path "the program does not call $rule" "$default_path"
	done
}

# test_two_ends NAME PATH SERVER_COMMAND -- CLIENT_COMMAND - runs all RC
# operations in both directions, and compares the transferred data. Both
# commands are prefixes; this function appends the program.
test_two_ends() {
	local name=$1 expected=$2 before=
	local -a server=()

	shift 2
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	pair_port=$((pair_port + 1))
	fresh_log
	before=$(datagrams)
	used_path=none
	if LANE_COMMAND_TIMEOUT=$pair_limit pair_run place_listens lo lo \
		"${server[@]}" "$tools/interop_rc" "$device" "$gid" \
		"$pair_port" -- "$@" "$tools/interop_rc" "$device" "$gid" \
		"$pair_port" "$address"; then
		used_path=memory
		[ "$(($(datagrams) - before))" -eq 0 ] || used_path=network
	fi
	cat "$scratch"/pair.*.out >>"$log"
	if [ "$(grep -c '^ok ' "$scratch/pair.client.out")" -lt 10 ]; then
		used_path=none
	fi
	expect_path "$name" "$expected" "${conditions[@]}"
}

# test_one_end_denied RULES PATH [CONDITION]... - denies RULES to one of two
# ends; both must agree on the path.
test_one_end_denied() {
	local rules=$1 expected=$2
	local -a conditions=("${@:3}")

	test_two_ends "the server without $rules" "$expected" "$tools/deny" "$rules" -- \
		env
	test_two_ends "the client without $rules" "$expected" env -- "$tools/deny" \
		"$rules"
}

# test_one_end_setting SETTING PATH [CONDITION]... - sets an environment
# variable for one end.
test_one_end_setting() {
	local expected=$2
	local -a conditions=("${@:3}")

	test_two_ends "the server with $1" "$expected" env "$1" -- env
	test_two_ends "the client with $1" "$expected" env -- env "$1"
}

# The memory of a program without read permission is not accessible, not even
# for processes of the same user.
test_not_dumpable() {
	cp "$tools/litmus" "$scratch/unreadable" &&
		chmod 111 "$scratch/unreadable" || return
	run_both "$scratch/unreadable"
	expect_path "a program that is not dumpable" "$default_path" "$@"
}

# test_few_descriptors NUMBER... - works, or reports the missing descriptors; or
# the other process reports a timeout, because its peer has no descriptor left.
test_few_descriptors() {
	local nr

	for nr; do
		if run_both prlimit --nofile="$nr" "$tools/litmus"; then
			expect_path "$nr descriptors" works
		else
			expect_path "$nr descriptors" \
				'Too many open files|is down: Connection timed out'
		fi
	done
}

# test_port_down NAME COMMAND... - a process whose port is DOWN reaches
# processes of this host.
test_port_down() {
	local name=$1
	local -a conditions=()

	shift
	says "$name: the state of the port" 'PORT_DOWN' \
		"$with" lo "$@" ibv_devinfo -d "$device"
	[ "$UROCE_LOCAL" = none ] ||
		test_two_ends "$name: processes of this host" memory "$@" -- "$@"
}

# test_refused NAME - checks the log of a user whose UDP port belongs to another
# user.
test_refused() {
	local -x UROCE_UID=65533

	run_both "$tools/litmus"
	expect_path "$1" "port 4791 is another user's"
	test_port_down "$1" env
}

only_as_root() {
	[ -e /run/lane/user ] || return 1
	echo "     $1: only if root runs the tests"
}

# test_other_user - runs a second user on an address while the first user's
# program uses it.
test_other_user() {
	local first

	! only_as_root "another user" || return 0
	"$with" lo ibv_rc_pingpong -p 19999 -g "$gid" >"$scratch/first" 2>&1 &
	first=$!
	wait_for 60 place_listens 19999
	test_refused "another user's process on the same address"
	check "the first user's program continues" "$with" lo ibv_rc_pingpong -p 19999 \
		-g "$gid" 127.0.0.1
	wait "$first"
}

plain_is_there() {
	[ -n "$(ss -Hunl 'sport = :4791')" ]
}

# test_plain_socket - binds the UDP port with a plain socket of another user.
test_plain_socket() {
	local plain

	! only_as_root "another user's plain socket" || return 0
	"$with" lo python3 -c 'import socket, time
there = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
there.bind(("::", 4791))
time.sleep(1000)' &
	plain=$!
	wait_for 60 plain_is_there
	test_refused "another user's plain socket on the port"
	stop "$plain"
}

# test_other_namespace - runs one end in a user namespace of its own, then both
# ends in process namespaces of their own. In the first case only the other end
# can access its peer's memory, in the second neither can.
test_other_namespace() {
	local -a conditions=()

	# The mapping makes it the same user on both sides.
	UROCE_UID=1000 test_two_ends "the client in a user namespace of its own" \
		"$default_path" env -- unshare --user --map-current-user
	[ "$UROCE_LOCAL" = none ] ||
		conditions=(shm_copies_vm=0 shm_copies_mem=0)
	test_two_ends "both in process namespaces of their own" "$default_path" \
		unshare --user --pid --fork --kill-child -- \
		unshare --user --pid --fork --kill-child
}
