#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What a sandbox, a container or an administrator may take away: system calls,
# families of sockets, options, descriptors, the rights of one user over its
# processes. Everything works without it, over the network if need be, or it is
# said why not.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

# The library and the programs append to it, who are somebody else.
log=$scratch/denied.log
export VERBS_LOG_LEVEL=2 VERBS_LOG_FILE=$log
rounds=40

datagrams() {
	awk '/^Udp6?InDatagrams/ { print $2 }
		/^Udp:/ && $2 ~ /^[0-9]+$/ { print $2 }' /proc/net/snmp
}

# run_denied COMMAND... - all kinds of requests between two processes; sets $way:
# memory, network or none.
run_denied() {
	local before

	before=$(datagrams)
	way=none
	: >"$log"
	chmod 666 "$log"
	"$@" >>"$log" 2>&1 || { echo "exit code $?" >>"$log"; return 1; }
	grep -q '^in order: ' "$log" || return 1
	way=memory
	[ "$(($(datagrams) - before))" -eq 0 ] || way=network
}

# wants NAME WAY - after run_denied; WAY is memory, network, works (either of
# them), or what is to be said.
wants() {
	local good=

	case $2 in
	memory | network) [ "$way" != "$2" ] || good=$way ;;
	works) [ "$way" = none ] || good=$way ;;
	*) [ "$way" != none ] || ! grep -Eq -- "$2" "$log" || good=$2 ;;
	esac
	if [ -n "$good" ]; then
		pass "$1: $good"
	else
		echo "way: $way; wanted: $2" >>"$log"
		fail "$1" "$log"
	fi
}

# without RULE WAY [NETWORK_WAY] - for both ends; what is wanted where processes
# use the network anyhow is "network" unless it is named.
without() {
	local want=$2

	[ "$UROCE_LOCAL" != none ] || want=${3:-network}
	run_denied "$with" lo "$tools/deny" "$1" "$tools/litmus" "$rounds" \
		"$gid" 1
	wants "without $1" "$want"
}

# one_without RULE - for one end of two; they have to agree on a way.
one_without() {
	local row=ibv_rc_pingpong end
	local -a server client

	for end in server client; do
		pair_port=$((pair_port + 1))
		server=(ibv_rc_pingpong)
		client=(ibv_rc_pingpong)
		case $end in
		server) server=("$tools/deny" "$1" "${server[@]}") ;;
		client) client=("$tools/deny" "$1" "${client[@]}") ;;
		esac
		pair_test "the $end without $1" place_listens lo:lo \
			' iters in ' "${server[@]}" -p "$pair_port" -g "$gid" \
			-n 100 -c -- "${client[@]}" -p "$pair_port" -g "$gid" \
			-n 100 -c "$address"
	done
}

# A program that nobody may read cannot be looked into, by its own user either.
not_dumpable() {
	cp "$tools/litmus" "$scratch/unreadable" &&
		chmod 111 "$scratch/unreadable" || return
	run_denied "$with" lo "$scratch/unreadable" "$rounds" "$gid" 1
	wants "a program that cannot be looked into" \
		"$([ "$UROCE_LOCAL" = none ] && echo network || echo memory)"
}

# few_descriptors NUMBER... - works, or says that it is that; or the other process
# says that it got no answer from one that has none left.
few_descriptors() {
	local nr

	for nr; do
		if run_denied "$with" lo prlimit --nofile="$nr" \
			"$tools/litmus" "$rounds" "$gid" 1; then
			wants "$nr descriptors" works
		else
			wants "$nr descriptors" \
				'Too many open files|is down: Connection timed out'
		fi
	done
}

# other_user - a second user on one address, while the first one is there.
other_user() {
	local first

	if [ -e /run/lane/user ]; then
		echo "     another user: only if root runs the tests"
		return
	fi
	"$with" lo ibv_rc_pingpong -p 19999 -g "$gid" >"$scratch/first" 2>&1 &
	first=$!
	wait_for 60 place_listens 19999
	UROCE_UID=65533 run_denied "$with" lo "$tools/litmus" "$rounds" "$gid" 1
	wants "another user's process on the same address" \
		"port 4791 is another user's"
	check "the first user's goes on" "$with" lo ibv_rc_pingpong -p 19999 \
		-g "$gid" 127.0.0.1
	wait "$first"
}

# A user namespace of its own for one end.
other_namespace() {
	pair_port=$((pair_port + 1))
	pair_test "the client in a user namespace of its own" place_listens \
		lo:lo ' iters in ' ibv_rc_pingpong -p "$pair_port" -g "$gid" \
		-n 100 -c -- unshare --user ibv_rc_pingpong -p "$pair_port" \
		-g "$gid" -n 100 -c "$address"
}

row=denied
on_lo 4
column=$path
without none memory
# Names and numbers of options: socket families 1 = AF_UNIX, 2 = AF_INET,
# 10 = AF_INET6; fcntl 1033 = F_ADD_SEALS; level 1 = SOL_SOCKET with 8 =
# SO_RCVBUF, 15 = SO_REUSEPORT, 51 = SO_ATTACH_REUSEPORT_CBPF; level 17 = UDP
# with 103 = UDP_SEGMENT, 104 = UDP_GRO. Errors: 38 = ENOSYS, 92 = ENOPROTOOPT,
# 97 = EAFNOSUPPORT.
for call in io_uring_setup!38 membarrier pidfd_getfd pidfd_open prctl \
	process_vm_readv process_vm_writev sched_getaffinity sched_yield \
	userfaultfd getrandom!38 recvmmsg recvmmsg!38 sendmmsg sendmmsg!38; do
	without "$call" memory
done
for call in memfd_create memfd_create!38 ftruncate fcntl/1=1033 madvise \
	epoll_create1; do
	without "$call" works
	[ "$UROCE_LOCAL" = none ] || one_without "$call"
done
[ "$UROCE_LOCAL" = none ] ||
	for call in membarrier process_vm_writev pidfd_open; do
		one_without "$call"
	done
for call in setsockopt/1=17/2=104!92 setsockopt/1=17/2=103!92 \
	setsockopt/1=1/2=8 socket/0=10!97; do
	without "$call" memory
done
for call in socket/0=1 setsockopt/1=1/2=15 setsockopt/1=1/2=51; do
	without "$call" 'the port is down: .*not permitted' \
		'the port is down: .*not permitted'
done
without accept4 'the port is down: ' 'the port is down: '
without eventfd2 'peer_ctx: Operation not permitted' \
	'peer_ctx: Operation not permitted'
not_dumpable
few_descriptors 8 14 20 28 36 40 44 48 64
other_user
other_namespace
check "nothing is left" nothing_left lo
finish
