#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# HPC Challenge over Open MPI over UCX over verbs, on loopback. Its parts check
# their own results: HPL (a system of equations), PTRANS (transposed matrices),
# RandomAccess, FFT, DGEMM and STREAM.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"
. "$here/../world/counters.sh"
. "$here/../world/mpi.sh"

mpi_limit=900
order=512

# The example of the package with a smaller problem.
write_input() {
	local example=/usr/share/doc/hpcc/examples/_hpccinf.txt

	sed "s/^1000  *Ns$/$order         Ns/" "$example" >hpccinf.txt &&
		grep -q "^$order  *Ns" hpccinf.txt
}

# Prints the results if the program succeeded: its output is a file.
run_hpcc() {
	open_mpi rc_v 4 hpcc && grep -E \
		'^(Success|CommWorldProcs)=|PASSED|FAILED|Error|errors' \
		hpccoutf.txt
}

# result_is NAME LEAST MOST - checks a number of the summary.
result_is() {
	awk -F= -v name="$1" -v least="$2" -v most="$3" '
		$1 == name { found = 1; good = $2 >= least && $2 <= most
			print }
		END { exit !(found && good) }' hpccoutf.txt
}

on_lo 4
row=HPCC
column=$path
cd "$scratch" || exit
check "input" write_input
says_carried "all parts, 4 processes" '^Success=1' 10000000 run_hpcc
check "4 processes took part" result_is CommWorldProcs 4 4
check "HPL: residual" grep -Eq '^\|\|Ax-b\|\|.* PASSED$' hpccoutf.txt
check "PTRANS: all tests" grep -q ' 5 tests completed and passed' hpccoutf.txt
check "PTRANS: residual" result_is PTRANS_residual 0 0.000001
check "RandomAccess: errors" result_is MPIRandomAccess_ErrorsFraction 0 0.01
check "RandomAccess, LCG: errors" \
	result_is MPIRandomAccess_LCG_ErrorsFraction 0 0.01
check "FFT: largest error" result_is MPIFFT_maxErr 0 0.000001
finish
