#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Open MPI over UCX over verbs: three processes pass messages around a ring,
# with reliable connections and with datagrams.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/three.sh"

export UCX_UD_VERBS_ETH_DGID_CHECK=n # as in ucx.sh
export UCX_NET_DEVICES=rxe0:1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# ring_runs LIBRARY TRANSPORT - also checks that the programs loaded LIBRARY.
ring_runs() {
	local lib=$1 folder=/run/lane/ours

	[ "$lib" != distro ] || folder=$(dirname "$(cat /run/lane/distro_dir)")
	UCX_TLS=$2,self "$with" "$lib" mpirun --oversubscribe -np 3 \
		--mca pml ucx --mca btl '^openib,ofi' "$tools/mpi_ring" \
		>"$scratch/ring" 2>&1
	echo "exit code $?" >>"$scratch/ring"
	cat "$scratch/ring"
	grep -qx 'exit code 0' "$scratch/ring" &&
		grep -qx 'ring of 3 went round 5 times' "$scratch/ring" &&
		{ [ "$lib" = distro ] ||
			grep -q "^libibverbs $folder/" "$scratch/ring"; }
}

check "rxe0 comes up" rxe_up
row=mpi_ring
for transport in rc_v ud_v; do
	for lib in $three; do
		column=$(library_label "$lib")
		check "ring over $transport ($lib)" ring_runs "$lib" "$transport"
	done
done
finish
