#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Two more unmodified programs: qperf, and the rdma engine of fio.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/pair.sh"
. "$here/../guest/three.sh"

# qperf_works TEST PATTERN - runs for a second. qperf has no option for the GID
# index, so it uses the connection manager.
qperf_works() {
	local lib row=qperf

	for lib in $three; do
		pair_port=$((pair_port + 1))
		pair_endless=yes pair_test "qperf $1" tcp_listens "$lib:$lib" \
			"$2" qperf -lp "$pair_port" -- \
			qperf -lp "$pair_port" -t 1 -cm 1 "$rxe_address" "$1"
	done
}

# fio_works VERB - requires that the client issues all blocks without an error.
fio_works() {
	local lib row=fio

	for lib in $three; do
		pair_port=$((pair_port + 1))
		fio_job "$scratch/server.fio" rw=read filename=none
		fio_job "$scratch/client.fio" rw=write "verb=$1" "hostname=$rxe_address"
		pair_test "fio $1" cm_listens "$lib:$lib" \
			'issued rwts: total=0,16,0,0 ' \
			fio "$scratch/server.fio" -- fio "$scratch/client.fio"
	done
}

check "rxe0 comes up" rxe_up
cd "$scratch" || exit
pair_port=27000
for test in rc_lat rc_rdma_write_lat rc_rdma_write_poll_lat rc_rdma_read_lat; do
	qperf_works "$test" '^ *latency *= '
done
for test in rc_bw rc_bi_bw; do
	qperf_works "$test" '^ *bw *= '
done
for test in rc_compare_swap_mr rc_fetch_add_mr ver_rc_compare_swap \
	ver_rc_fetch_add; do
	qperf_works "$test" '^ *msg_rate *= '
done
# Not "send": fio's client never ends with it, with any library.
for verb in write read; do
	fio_works "$verb"
done
finish
