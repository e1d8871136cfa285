#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Open MPI over UCX over verbs, on loopback: a ring, sums over all processes and
# all-to-all transfers, with reliable connections and with datagrams.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# test_mpi TRANSPORT PROCESSES COMMAND... - allows no other path between the
# processes.
test_mpi() {
	local transport=$1 processes=$2

	shift 2
	UCX_TLS=$transport,self UCX_IB_GID_INDEX=$gid \
		LANE_COMMAND_TIMEOUT=300 "$with" lo \
		"$tools/with_nodes" "" \
		mpirun --oversubscribe -np "$processes" --mca pml ucx \
		--mca btl '^openib,ofi' "$@"
}

on_lo 4
row=mpi
column=$path
for transport in rc_v ud_v; do
	says "ring of 3 over $transport" 'ring of 3 went round 5 times' \
		test_mpi "$transport" 3 "$tools/mpi_ring"
	says "sums and all to all, 4 processes, over $transport" \
		'process 3 of 4: 14 of 14 rounds right' \
		test_mpi "$transport" 4 "$tools/mpi_sum"
done
if more; then
	says "sums and all to all, 16 processes, over rc_v" \
		'process 15 of 16: 14 of 14 rounds right' \
		test_mpi rc_v 16 "$tools/mpi_sum"
fi
finish
