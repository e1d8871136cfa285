#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Memory that both ends can map: written to, read and added to without the one
# whose it is, with and without the right to look into that process. Over the
# network the same requests work as they always do.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

rounds=20000
! more || rounds=1000000
log=$scratch/mapped.log
export VERBS_LOG_LEVEL=3

# mapped COMMAND... - runs it on both ends; sets $nr, requests in such memory
mapped() {
	local rc

	: >"$log"
	chmod 666 "$log"
	VERBS_LOG_FILE=$log "$with" lo "$@" "$tools/mapped" "$gid" "$rounds"
	rc=$?
	nr=$(awk '$(NF - 1) == "local_mapped" { nr += $NF } END { print nr + 0 }' \
		"$log")
	return $rc
}

# in_mapped_memory NAME COMMAND... - many requests must have been there
in_mapped_memory() {
	local name=$1 least=$((rounds / 2))

	shift
	[ "$UROCE_LOCAL" != none ] || least=0
	if mapped "$@" >"$scratch/mapped.out" 2>&1 && [ "$nr" -ge "$least" ] &&
		{ [ "$least" -gt 0 ] || [ "$nr" -eq 0 ]; }; then
		pass "$name: $nr in mapped memory"
	else
		echo "$nr in mapped memory; wanted: $least" >>"$scratch/mapped.out"
		cat "$log" >>"$scratch/mapped.out"
		fail "$name" "$scratch/mapped.out"
	fi
}

row=mapped
on_lo 4
column=$path
in_mapped_memory "as it is"
in_mapped_memory "UROCE_CMA=none" env UROCE_CMA=none
in_mapped_memory "without calls into other processes" "$tools/deny" \
	'process_vm_readv process_vm_writev preadv pwritev'
check "nothing is left" nothing_left lo
finish
