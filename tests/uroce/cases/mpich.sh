#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# MPICH (ch4:ucx) over UCX over verbs, on loopback: sums over all processes and
# all-to-all transfers, with reliable connections and with datagrams.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"
. "$here/../world/counters.sh"
. "$here/../world/mpi.sh"

on_lo 4
row=MPICH
column=$path
check "it is over UCX" grep -q 'ch4:ucx' <(mpichversion)
for transport in rc_v ud_v; do
	says_carried "sums and all to all, 4 processes, over $transport" \
		'process 3 of 4: 14 of 14 rounds right' 10000000 \
		mpich "$transport" 4 "$tools/mpi_sum.mpich"
done
says_carried "sums and all to all, 8 processes, over rc_v" \
	'process 7 of 8: 14 of 14 rounds right' 10000000 \
	mpich rc_v 8 "$tools/mpi_sum.mpich"
finish
