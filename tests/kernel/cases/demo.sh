#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The first part of ./demo: the distribution's programs, unmodified, on the
# library under test and a soft-RoCE device. It counts no tests and is not part
# of run_lane.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/pair.sh"

# show COMMAND... - prints a prompt and the command, and runs it.
show() {
	echo
	echo "\$ $*"
	with_ours "$@" || exit
}

echo "Linux $(uname -r)"
rxe_up || { echo "demo: no soft-RoCE device" >&2; exit 1; }

echo
echo "\$ ldd \$(which ibv_devinfo)"
LD_LIBRARY_PATH=/run/lane/ours ldd "$(command -v ibv_devinfo)" | grep libibverbs
show ibv_devices
show ibv_devinfo

options=(-d rxe0 -g "$rxe_gid_index" -n 100 -c)
echo
echo "\$ ibv_rc_pingpong ${options[*]} &"
"$with" ours ibv_rc_pingpong "${options[@]}" >"$scratch/server" 2>&1 &
server_pid=$!
wait_for 60 tcp_listens 18515
show ibv_rc_pingpong "${options[@]}" "$rxe_address"
wait "$server_pid"
