#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# OpenSHMEM of Open MPI over UCX over verbs, on loopback: put, get, atomics, locks
# and collectives.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"
. "$here/../world/counters.sh"
. "$here/../world/mpi.sh"

on_lo 4
row=OpenSHMEM
column=$path
for processes in 2 8; do
	says_carried "all operations, $processes PEs" \
		"PE 1 of $processes: ([0-9]+) of \1 checks right" 1000000 \
		open_shmem rc_v "$processes" "$tools/shmem_check"
done
finish
