#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Two hundred devices: both libraries find all of them, in the same order. The
# case measures the list call at 1, 64 and 200 devices. It leaves the devices
# behind, so it runs last in a boot.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../../bench/list_bench.sh"

# many_add FROM TO - makes a dummy interface and a device on it, for each
# number. The names begin with "rxe", because by sysfs only the name identifies
# the driver.
many_add() {
	local i

	for ((i = $1; i <= $2; i++)); do
		echo "link add dummy$i type dummy"
	done | ip -batch - || return 1
	for ((i = $1; i <= $2; i++)); do
		echo "link add rxem$i type rxe netdev dummy$i"
	done | rdma -b /dev/stdin || return 1
	wait_for 60 many_have_nodes "$2"
}

many_have_nodes() {
	local -a nodes=(/dev/infiniband/uverbs*)

	[ "${#nodes[@]}" -eq "$1" ]
}

# Earlier cases may have left devices; here each one counts.
remove_others() {
	local path name

	for path in /sys/class/infiniband/*; do
		name=$(basename "$path")
		[ "$name" = rxe0 ] || rdma link del "$name" || return 1
	done
}

counts_devices() {
	echo "$2 of $1"
	[ "$1" -eq "$2" ]
}

check "rxe0 comes up" rxe_up
check "no other device is left" remove_others
sysctl -qw net.ipv6.conf.default.accept_dad=0
bench_level_field
bench_measure 1
check "63 more devices" many_add 2 64
bench_measure 64
check "136 more devices" many_add 65 200
bench_measure 200

compare "ibv_devices" ibv_devices
compare "ibv_devinfo -l" ibv_devinfo -l
compare "ibv_devices by sysfs" "$tools/no_netlink" ibv_devices
check "200 devices are listed" counts_devices 200 \
	"$(with_ours ibv_devices | tail -n +3 | wc -l)"
check "200 devices are listed by sysfs" counts_devices 200 \
	"$(with_ours "$tools/no_netlink" ibv_devices | tail -n +3 | wc -l)"
compare "the last one is opened" ibv_devinfo -d rxem200

bench_table 1 64 200
bench_check
finish
