#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Device listing: ibv_devices and ibv_devinfo, unmodified, print the same with
# both libraries, byte for byte; also if RDMA netlink is refused and only sysfs
# remains, and with the library under test mounted over the distribution's.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"

listing() {
	compare "ibv_devices" "$@" ibv_devices
	compare "ibv_devinfo" "$@" ibv_devinfo
	compare "ibv_devinfo -v" "$@" ibv_devinfo -v
	compare "ibv_devinfo -l" "$@" ibv_devinfo -l
}

names_of() {
	"$@" ibv_devices | awk 'NR > 2 { print $1, $2 }' | sort
}

section="no device: "
rxe_modules
rdma link del rxe0 2>/dev/null
listing
compare "ibv_devinfo -d" ibv_devinfo -d rxe0

check "rxe0 comes up" rxe_up
check "rxe1 comes up" rdma_add rxe rxe1 ve1

section=
listing
compare "ibv_devinfo -d rxe1 -i 1" ibv_devinfo -d rxe1 -i 1
compare "ibv_devinfo -d of no device" ibv_devinfo -d nothing
compare "ibv_devinfo -i of no port" ibv_devinfo -d rxe0 -i 2
check "both devices are listed" \
	grep -q rxe1 "$scratch/ibv_devices.ours.out"

section="bind mount: "
export LANE_MODE=${LANE_BIND:-bind}
listing
unset LANE_MODE

section="sysfs: "
listing "$tools/no_netlink"
names_of with_ours >"$scratch/netlink"
names_of with_ours "$tools/no_netlink" >"$scratch/sysfs"
same "same devices as by netlink" "$scratch/netlink" "$scratch/sysfs"
check "both devices are listed" grep -q rxe1 "$scratch/sysfs"

section="port down: "
ip link set ve1 down
listing
ip link set ve1 up

section=
rdma link del rxe1
compare "one of two devices left" ibv_devinfo -l
finish
