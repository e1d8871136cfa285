#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Threads that call verbs are cancelled, and interrupted by signals whose
# handlers call verbs as well. Threads with a CQ each call verbs in parallel. A child of fork() uses the objects it inherits.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

milliseconds=5000
! more || milliseconds=60000

# run_tool NAME ARG... - runs a program, which takes the GID index last.
run_tool() {
	LANE_COMMAND_TIMEOUT=600 "$with" lo "$tools/$1" "${@:2}" "$gid"
}

row=threads
on_lo 4
column=$path
says "cancelled threads" '^10000 threads were cancelled' run_tool cancel 10000
sed 's/^/     /; /exit code/d' "$scratch/says.log"
says "signal handlers" '^posted: handler ' run_tool signals "$milliseconds"
sed 's/^/     /; /exit code/d' "$scratch/says.log"
says "threads with a CQ each" '^[0-9]+ messages arrived unchanged' \
	env UROCE_WORKERS=4 "$with" lo "$tools/parallel" "$milliseconds" "$gid"
sed 's/^/     /; /exit code/d' "$scratch/says.log"
says "objects of the parent in a child of fork" \
	'^the child registered memory' run_tool inherit
check "no socket of the device is left" no_socket_left lo
finish
