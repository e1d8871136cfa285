#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Another program has the pid of a peer: after execve() of the peer, or because
# the peer is dead. No request for the peer writes or reads the memory of that
# program, whichever CMA method is used.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

rounds=3
! more || rounds=50
counters_log=$scratch/pids.log
ask=$scratch/ask
told=$scratch/told
export VERBS_LOG_LEVEL=3 VERBS_LOG_FILE=$counters_log

# Chooses the next pid, which the programs under test may not do.
set_last_pids() {
	local pid

	while read -r pid; do
		echo "$pid" >/proc/sys/kernel/ns_last_pid || return
		echo
	done
}

run_pid_reuse() {
	set_last_pids <"$ask" >"$told" &
	"$with" lo "$@" "$tools/pid_reuse" "$rounds" "$gid" "$ask" "$told"
}

# counted vm|mem - whether the requester used that CMA method.
counted() {
	[ "$(awk -v name="shm_copies_$1" '$(NF - 1) == name { nr += $NF }
		END { print nr + 0 }' "$counters_log")" -gt 0 ]
}

# test_pid_reuse METHOD VARIABLE... - requires that the requester used a CMA
# method.
test_pid_reuse() {
	local method=$1

	shift
	: >"$counters_log"
	chmod 666 "$counters_log"
	says "another program has the pid of a peer${1:+, $1}" \
		"^$((2 * rounds)) programs had the pid" run_pid_reuse env "$@"
	[ "$UROCE_LOCAL" = none ] ||
		check "the memory of the peer was accessed${1:+, $1}" \
			counted "$method"
}

row=pids
on_lo 4
column=$path
mkfifo -m 666 "$ask" "$told"
test_pid_reuse vm
if [ "$UROCE_LOCAL" != none ]; then
	test_pid_reuse vm UROCE_CMA=vm
	test_pid_reuse mem UROCE_CMA=mem
fi
check "no socket of the device is left" no_socket_left lo
finish
