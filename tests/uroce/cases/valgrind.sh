#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The programs of the distribution under valgrind's memcheck, both ends: no
# invalid access, no use of undefined bytes, also by the kernel, and no memory
# that is lost at the end.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

checker=(valgrind --quiet --error-exitcode=1 --leak-check=full
	"--show-leak-kinds=definite,possible"
	"--errors-for-leak-kinds=definite,possible")

# test_pingpong TYPE OPTION...
test_pingpong() {
	local row=valgrind program="ibv_$1_pingpong"
	local -a options

	shift
	pair_port=$((pair_port + 1))
	options=(-p "$pair_port" -g "$gid" "$@")
	pair_test "valgrind $program $*" place_listens "$pairing" ' iters in ' \
		"${checker[@]}" "$program" "${options[@]}" -- \
		"${checker[@]}" "$program" "${options[@]}" "$address"
}

on_lo 4
for type in rc uc ud srq; do
	test_pingpong "$type" -c -n 100
	test_pingpong "$type" -c -n 100 -e
done
on_lo 6
test_pingpong rc -c -n 100 -s 100000
section=
says "valgrind ibv_devices" uroce_lo "$with" lo "${checker[@]}" ibv_devices
says "valgrind ibv_devinfo -v" uroce_lo "$with" lo "${checker[@]}" \
	ibv_devinfo -v
finish
