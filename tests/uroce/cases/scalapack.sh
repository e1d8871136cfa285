#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# ScaLAPACK's own tests over Open MPI and over MPICH, over UCX over verbs, on
# loopback. They compare their results with those of one process or compute
# residuals.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"
. "$here/../world/counters.sh"
. "$here/../world/mpi.sh"

mpi_limit=900
out=$scratch/scalapack.out
# A failed test of each of the programs, or a sum of failed tests.
failure='FAILED +\*|FAILED *$|[1-9][0-9]* tests completed and failed'
failure+='|^ +\| +P[A-Z0-9]+ +[0-9]+ +[0-9]+ +[1-9]'

# run_in FOLDER MPI PROGRAM - the programs read their input from the current
# folder. Prints how many tests passed.
run_in() {
	local nr

	cd "$1" || return 1
	"$2" rc_v 4 "./$3" >"$out" 2>&1 ||
		{ echo "exit code $?"; tail -n 15 "$out"; return 1; }
	! grep -E "$failure" "$out" || return 1
	nr=$(grep -Ec ' PASSED' "$out")
	[ "$nr" -gt 100 ] || tail -n 15 "$out"
	echo "$nr tests passed"
}

# test_programs MPI FOLDER PROGRAM... - FOLDER is below the package's.
test_programs() {
	local mpi=$1 name=${1/_/} folder=$2 program

	for program in "${@:3}"; do
		says_carried "$program, $name" '^[1-9][0-9]{2,} tests passed' \
			100000 run_in "$folder" "$mpi" "$program"
	done
}

on_lo 4
row=ScaLAPACK
column=$path
for mpi in open_mpi mpich; do
	tests=$(echo /usr/lib/*/scalapack/"${mpi/_/}-tests")
	test_programs "$mpi" "$tests/PBLAS" dpb1tst dpb2tst dpb3tst
	test_programs "$mpi" "$tests" xdlu xdqr xdinv
done
test_programs open_mpi "$(echo /usr/lib/*/scalapack/openmpi-tests)" xcllt
finish
