#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# UROCE_CHAOS with several seeds. A program that takes the last byte of a WRITE,
# or a later WRITE, as the end of the message reads old bytes, which litmus
# finds; one that waits for a completion does not. Unmodified programs that wait
# for completions work. UROCE_CHAOS_SEEDS selects other seeds.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
nodes=("$tools/with_nodes" "")
seeds='1 2 3'
! more || seeds='1 2 3 4 5 6 7 8 9 10'
seeds=${UROCE_CHAOS_SEEDS:-$seeds}

# Kinds of litmus: data behind a memory flag, and behind a completion.
polls_memory='1 3'
polls_completions='4 5 6 7 8 9'

run_litmus() {
	# shellcheck disable=SC2086 # a list
	"$with" lo "$tools/litmus" 1000 "$gid" 7 $1
}

# finds_old_bytes KIND - litmus ends with an error, which names the kind.
finds_old_bytes() {
	local rc=0

	run_litmus "$1" >"$scratch/litmus" 2>&1 || rc=$?
	cat "$scratch/litmus"
	[ "$rc" -ne 0 ] && grep -q '^WRITE, .*round .*byte' "$scratch/litmus"
}

# run_ends NAME PATTERN PROGRAM OPTION... - runs both ends.
run_ends() {
	local name=$1 pattern=$2

	shift 2
	pair_port=$((pair_port + 1))
	pair_test "seed $seed, $name" place_listens "$pairing" "$pattern" \
		"${program[@]}" "$@" -p "$pair_port" -- \
		"${program[@]}" "$@" -p "$pair_port" "$address"
}

perftest() {
	program=()
	row=perftest
	run_ends "$*" '^ *[0-9][0-9]*  *[0-9][0-9]* ' "$1" -F -x "$gid" -n 200 "${@:2}"
}

ucx() {
	program=("${nodes[@]}")
	row=ucx_perftest
	UCX_TLS=$1 UCX_IB_GID_INDEX=$gid UCX_NET_DEVICES=$device:1 run_ends \
		"$*" '^Final: ' ucx_perftest -n 300 -w 20 "${@:2}"
}

mpi() {
	row=mpi
	says "seed $seed, sums over $1" 'process 3 of 4: 14 of 14 rounds right' \
		env UCX_TLS="$1,self" UCX_IB_GID_INDEX="$gid" \
		"$with" lo "${nodes[@]}" mpirun --oversubscribe -np 4 \
		--mca pml ucx --mca btl '^openib,ofi' "$tools/mpi_sum"
}

on_lo 4
column=$path
unset UROCE_CHAOS
row=litmus
says "without chaos mode, all kinds" '^in order: ' \
	run_litmus "$polls_memory $polls_completions"
for seed in $seeds; do
	export UROCE_CHAOS=$seed
	row=litmus
	says "seed $seed, completions" '^in order: ' \
		run_litmus "$polls_completions"
	for kind in $polls_memory; do
		check "seed $seed, kind $kind finds old bytes" \
			finds_old_bytes "$kind"
	done
	perftest ib_write_lat -s 4096
	perftest ib_send_bw -q 4
	perftest ib_read_bw -s 65536
	ucx rc_v -t tag_bw -s 20000
	ucx rc_v -t tag_lat -s 8
	ucx ud_v -t tag_bw -s 20000
	mpi rc_v
done
finish
