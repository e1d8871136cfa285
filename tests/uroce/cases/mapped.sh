#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Memory that both ends can map: the requester writes, reads and adds to it
# without the target's process, with and without access to that process by
# system calls. Over the network the same operations work as in any other
# memory.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

rounds=20000
! more || rounds=1000000
log=$scratch/mapped.log
export VERBS_LOG_LEVEL=3

# run_mapped COMMAND... - runs both ends; sets $nr, the number of operations in
# mapped memory.
run_mapped() {
	local rc

	: >"$log"
	chmod 666 "$log"
	VERBS_LOG_FILE=$log "$with" lo "$@" "$tools/mapped" "$gid" "$rounds"
	rc=$?
	nr=$(awk '$(NF - 1) == "shm_mapped" { nr += $NF } END { print nr + 0 }' \
		"$log")
	return $rc
}

# test_mapped NAME COMMAND... - requires that most operations used mapped
# memory.
test_mapped() {
	local name=$1 least=$((rounds / 2))

	shift
	[ "$UROCE_LOCAL" != none ] || least=0
	if run_mapped "$@" >"$scratch/mapped.out" 2>&1 && [ "$nr" -ge "$least" ] &&
		{ [ "$least" -gt 0 ] || [ "$nr" -eq 0 ]; }; then
		pass "$name: $nr in mapped memory"
	else
		echo "$nr in mapped memory; expected: $least" >>"$scratch/mapped.out"
		cat "$log" >>"$scratch/mapped.out"
		fail "$name" "$scratch/mapped.out"
	fi
}

row=mapped
on_lo 4
column=$path
test_mapped "default settings"
test_mapped "UROCE_CMA=none" env UROCE_CMA=none
test_mapped "without process_vm_*, preadv and pwritev" "$tools/deny" \
	'process_vm_readv process_vm_writev preadv pwritev'
check "no socket of the device is left" no_socket_left lo
finish
