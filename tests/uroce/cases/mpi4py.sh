#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# mpi4py over Open MPI over UCX over verbs, on loopback: collectives and one-sided
# communication of 8 processes.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"
. "$here/../world/counters.sh"
. "$here/../world/mpi.sh"

on_lo 4
row=mpi4py
column=$path
says_carried "collectives and one-sided communication, 8 processes" \
	'process 7 of 8: ([0-9]+) of \1 checks right' 10000000 \
	open_mpi rc_v 8 python3 "$tools/mpi_python.py"
finish
