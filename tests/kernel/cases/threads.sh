#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Eight threads list, open, query, close and free for ten seconds: no call
# fails, and no descriptor and no memory leaks. The case runs once with constant
# devices, and once while another device comes and goes.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"

come_and_go() {
	while [ ! -e "$scratch/enough" ]; do
		rdma link add rxe1 type rxe netdev ve1
		sleep 0.3
		rdma link del rxe1
		sleep 0.2
	done >>"$scratch/come_and_go" 2>&1
}

# hammer LIBRARY SECONDS - runs the program and prints its figures.
hammer() {
	check "$1: 8 threads, $2 s" "$with" "$1" "$tools/hammer" "$2" 8 rxe0
	sed 's/^/     /' "$scratch/check.log"
}

check "rxe0 comes up" rxe_up
hammer distro 3
hammer ours 10

section="a device comes and goes: "
come_and_go &
pid=$!
hammer ours 10
touch "$scratch/enough"
wait "$pid"
rdma link del rxe1 2>/dev/null
check "rxe0 still works" with_ours ibv_devinfo -d rxe0
finish
