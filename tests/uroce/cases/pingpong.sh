#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The five pingpongs of the distribution on the loopback interface, polling and
# with events, IPv4 and IPv6. The device has no XRC and does not report the
# capability.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

# test_pingpong TYPE OPTION... - validates the contents.
test_pingpong() {
	ends ' iters in ' "ibv_$1_pingpong" -g "$gid" -c "${@:2}"
}

no_xrc() {
	"$with" lo ibv_devinfo -v >"$scratch/devinfo" || return 1
	! grep -E '^[[:space:]]*XRC' "$scratch/devinfo" || return 1
	"$with" lo timeout 60 ibv_xsrq_pingpong -g 1 >"$scratch/xsrq" 2>&1
	[ $? -eq 1 ] && grep -i 'xrc' "$scratch/xsrq"
}

for family in 4 6; do
	on_lo "$family"
	test_pingpong rc -n 1000
	test_pingpong rc -n 200 -e
	test_pingpong uc -n 1000
	test_pingpong uc -n 200 -e
	test_pingpong ud -n 1000 -s 2048
	test_pingpong ud -n 200 -s 2048 -e
	test_pingpong srq -n 1000 -q 8
	test_pingpong srq -n 200 -q 8 -e
done
on_lo 4
test_pingpong rc -n 1000 -N
test_pingpong rc -n 200 -N -e
test_pingpong rc -n 200 -t
test_pingpong rc -n 200 -s 1 -r 1
test_pingpong rc -n 200 -s 1000000
test_pingpong rc -n 200 -m 256 -s 65536
test_pingpong rc -n 500 -j
test_pingpong rc -n 200 -j -s 100000 -e
test_pingpong ud -n 200 -s 4096
section=
check "no XRC: no capability, and ibv_xsrq_pingpong fails" no_xrc
finish
