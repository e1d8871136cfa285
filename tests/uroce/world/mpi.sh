# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash source-path=SCRIPTDIR
# shellcheck disable=SC2154 # between networks.sh and the case
#
# Starts the processes of a program with Open MPI, OpenSHMEM or MPICH, all over
# UCX. No other path between the processes than verbs is allowed. Sourced after
# networks.sh.

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpi_limit=300

# with_ucx TRANSPORT COMMAND...
with_ucx() {
	local transport=$1

	shift
	UCX_TLS=$transport,self UCX_IB_GID_INDEX=$gid \
		LANE_COMMAND_TIMEOUT=$mpi_limit "$with" lo \
		"$tools/with_nodes" uroce_lo "$@"
}

# open_mpi TRANSPORT PROCESSES COMMAND...
open_mpi() {
	with_ucx "$1" mpirun --oversubscribe -np "$2" --mca pml ucx \
		--mca osc ucx --mca btl '^openib,ofi' "${@:3}"
}

# open_shmem TRANSPORT PROCESSES COMMAND...
open_shmem() {
	with_ucx "$1" oshrun --oversubscribe -np "$2" --mca pml ucx \
		--mca spml ucx --mca opal_common_ucx_opal_mem_hooks 0 --mca btl '^openib,ofi' "${@:3}"
}

# mpich TRANSPORT PROCESSES COMMAND... - the processes believe that they are on
# different hosts.
mpich() {
	MPIR_CVAR_NOLOCAL=1 with_ucx "$1" mpiexec.mpich -n "$2" "${@:3}"
}
