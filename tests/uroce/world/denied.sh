# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash source-path=SCRIPTDIR
# shellcheck disable=SC2034,SC2154 # between networks.sh and the case
#
# Two processes that do without something, and how one sees what they did
# instead. Sourced by the case "denied" after networks.sh.

# The library and the programs append to it, who are somebody else. Counters are
# logged with level 3.
log=$scratch/denied.log
export VERBS_LOG_LEVEL=3 VERBS_LOG_FILE=$log
rounds=100

# How both ends meet unless something keeps them from it.
here_way=memory
[ "$UROCE_LOCAL" != none ] || here_way=network

# A library to load before others.
preload=

datagrams() {
	awk '/^Udp6?InDatagrams/ { print $2 }
		/^Udp:/ && $2 ~ /^[0-9]+$/ { print $2 }' /proc/net/snmp
}

fresh_log() {
	: >"$log"
	chmod 666 "$log"
}

# both COMMAND... - all kinds of requests between two processes, of which one
# listens now and then; with the contents of what is moved compared. Sets $way:
# memory, network or none.
both() {
	local before
	local -a with_library=()

	[ -z "$preload" ] || with_library=(env LD_PRELOAD="$preload")
	before=$(datagrams)
	way=none
	fresh_log
	"$with" lo "${with_library[@]}" "$@" "$rounds" "$gid" 1 >>"$log" 2>&1 ||
		{ echo "exit code $?" >>"$log"; return 1; }
	grep -q '^in order: ' "$log" || return 1
	way=memory
	[ "$(($(datagrams) - before))" -eq 0 ] || way=network
}

# counted CONDITION... - each is NAME=VALUE, or with < > >=, for the sum of what
# both ends have counted; VALUE is a number, or the name of another counter.
counted() {
	local condition left operator right

	for condition; do
		[[ $condition =~ ^([a-z_]+)(>=|=|<|>)([a-z_0-9]+)$ ]] || return 2
		left=$(total "${BASH_REMATCH[1]}")
		operator=${BASH_REMATCH[2]}
		right=${BASH_REMATCH[3]}
		[[ $right =~ ^[0-9]+$ ]] || right=$(total "$right")
		case $operator in
		=) [ "$left" -eq "$right" ] ;;
		\<) [ "$left" -lt "$right" ] ;;
		\>) [ "$left" -gt "$right" ] ;;
		\>=) [ "$left" -ge "$right" ] ;;
		esac || {
			echo "counted: $left, $right; wanted: $condition" >>"$log"
			return 1
		}
	done
}

# total NAME - of a counter that is not logged it is 0.
total() {
	awk -v name="$1" '$(NF - 2) == "uroce:" && $(NF - 1) == name {
		sum += $NF } END { print sum + 0 }' "$log"
}

# wants NAME WAY [CONDITION]... - after both; WAY is memory, network, works
# (either of them), or what is to be said.
wants() {
	local name=$1 want=$2 good=

	shift 2
	case $want in
	memory | network) [ "$way" != "$want" ] || good=$way ;;
	works) [ "$way" = none ] || good=$way ;;
	*) [ "$way" != none ] || ! grep -Eq -- "$want" "$log" || good=$want ;;
	esac
	if [ -n "$good" ] && counted "$@"; then
		pass "$name: $good${*:+, $*}"
	else
		echo "way: $way; wanted: $want" >>"$log"
		fail "$name" "$log"
	fi
}

# without RULES WAY [CONDITION]... - for both ends.
without() {
	local rules=$1

	shift
	both "$tools/deny" "$rules" "$tools/litmus"
	wants "without $rules${preload:+ and GSO}" "$@"
}

# ways CHOICE CONDITION... - into memory, if UROCE_CMA says so to both ends.
ways() {
	local -x UROCE_CMA=$1

	shift
	both "$tools/litmus"
	wants "UROCE_CMA=$UROCE_CMA" memory "$@"
}

# needs RULE... - it is what was denied above, as who is ended for it ends.
needs() {
	local rule

	for rule; do
		rule=${rule%!*}
		both "$tools/deny" "$rule!kill" "$tools/litmus"
		wants "$rule ends the program" 'exit code (1|159)$'
	done
}

# does_not_need RULE... - nor does who is never ended for it.
does_not_need() {
	local rule

	for rule; do
		both "$tools/deny" "$rule!kill" "$tools/litmus"
		wants "nobody calls $rule" "$here_way"
	done
}

# two_ends NAME WAY SERVER_COMMAND -- CLIENT_COMMAND - all requests of RC, by
# either end, with contents compared. Both commands are only begun here.
two_ends() {
	local name=$1 want=$2 before=
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
	way=none
	if LANE_COMMAND_TIMEOUT=$pair_limit pair_run place_listens lo lo \
		"${server[@]}" "$tools/interop_rc" "$device" "$gid" \
		"$pair_port" -- "$@" "$tools/interop_rc" "$device" "$gid" \
		"$pair_port" "$address"; then
		way=memory
		[ "$(($(datagrams) - before))" -eq 0 ] || way=network
	fi
	cat "$scratch"/pair.*.out >>"$log"
	if [ "$(grep -c '^ok ' "$scratch/pair.client.out")" -lt 10 ]; then
		way=none
	fi
	wants "$name" "$want" "${conditions[@]}"
}

# one_without RULES WAY [CONDITION]... - for one end of two; they have to agree.
one_without() {
	local rules=$1 want=$2
	local -a conditions=("${@:3}")

	two_ends "the server without $rules" "$want" "$tools/deny" "$rules" -- \
		env
	two_ends "the client without $rules" "$want" env -- "$tools/deny" \
		"$rules"
}

# one_with SETTING WAY [CONDITION]... - of the environment.
one_with() {
	local want=$2
	local -a conditions=("${@:3}")

	two_ends "the server with $1" "$want" env "$1" -- env
	two_ends "the client with $1" "$want" env -- env "$1"
}

# A program that nobody may read cannot be looked into, by its own user either.
not_dumpable() {
	cp "$tools/litmus" "$scratch/unreadable" &&
		chmod 111 "$scratch/unreadable" || return
	both "$scratch/unreadable"
	wants "a program that cannot be looked into" "$here_way" "$@"
}

# few_descriptors NUMBER... - works, or says that it is that; or the other process
# says that it got no answer from one that has none left.
few_descriptors() {
	local nr

	for nr; do
		if both prlimit --nofile="$nr" "$tools/litmus"; then
			wants "$nr descriptors" works
		else
			wants "$nr descriptors" \
				'Too many open files|is down: Connection timed out'
		fi
	done
}

# without_port NAME COMMAND... - whose port is DOWN reaches those of this host.
without_port() {
	local name=$1
	local -a conditions=()

	shift
	says "$name: the state of the port" 'PORT_DOWN' \
		"$with" lo "$@" ibv_devinfo -d "$device"
	[ "$UROCE_LOCAL" = none ] ||
		two_ends "$name: processes of this host" memory "$@" -- "$@"
}

# refused NAME - what a user sees whose port is somebody else's.
refused() {
	local -x UROCE_UID=65533

	both "$tools/litmus"
	wants "$1" "port 4791 is another user's"
	without_port "$1" env
}

only_as_root() {
	[ -e /run/lane/user ] || return 1
	echo "     $1: only if root runs the tests"
}

# other_user - a second user on one address, while the first one is there.
other_user() {
	local first

	! only_as_root "another user" || return 0
	"$with" lo ibv_rc_pingpong -p 19999 -g "$gid" >"$scratch/first" 2>&1 &
	first=$!
	wait_for 60 place_listens 19999
	refused "another user's process on the same address"
	check "the first user's goes on" "$with" lo ibv_rc_pingpong -p 19999 \
		-g "$gid" 127.0.0.1
	wait "$first"
}

plain_is_there() {
	[ -n "$(ss -Hunl 'sport = :4791')" ]
}

# plain_socket - of another user's program that knows nothing of this.
plain_socket() {
	local plain

	! only_as_root "another user's plain socket" || return 0
	"$with" lo python3 -c 'import socket, time
there = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
there.bind(("::", 4791))
time.sleep(1000)' &
	plain=$!
	wait_for 60 plain_is_there
	refused "another user's plain socket on the port"
	stop "$plain"
}

# other_namespace - of users, and of processes, for one end: it may be in the
# memory of the other one, which cannot be in its, or in none.
other_namespace() {
	local -a conditions=()

	two_ends "the client in a user namespace of its own" "$here_way" env \
		-- unshare --user
	[ "$UROCE_LOCAL" = none ] ||
		conditions=(local_copies_vm=0 local_copies_mem=0)
	two_ends "both in process namespaces of their own" "$here_way" \
		unshare --user --pid --fork --kill-child -- \
		unshare --user --pid --fork --kill-child
}
