#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The device exists where UROCE_DEVICES asks for it; ibv_devices and ibv_devinfo
# show its attributes.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

# device_names SETTING - prints the devices that a program sees, in one line.
device_names() {
	UROCE_DEVICES=$1 "$with" lo ibv_devices 2>/dev/null |
		awk 'NR > 2 { printf "%s%s", sep, $1; sep = " " }'
}

# check_list SETTING NAMES
check_list() {
	local got

	got=$(device_names "$1")
	echo "devices: $got" >"$scratch/names"
	if [ "$got" = "$2" ]; then
		pass "UROCE_DEVICES=\"$1\": ${2:-none}"
	else
		fail "UROCE_DEVICES=\"$1\": ${2:-none}" "$scratch/names"
	fi
}

# no_device PLACE SETTING EXIT_CODE COMMAND... - the command fails as on any
# machine without RDMA.
no_device() {
	UROCE_DEVICES=$2 "$with" "$1" "${@:4}" >"$scratch/none" 2>&1
	[ $? -eq "$3" ] || { cat "$scratch/none"; return 1; }
	grep 'Failed to get IB devices list: Function not implemented' \
		"$scratch/none"
}

without_privilege() {
	# All capability sets except the bounding set, which NoNewPrivs makes
	# unreachable.
	"$with" lo grep -E '^(Cap[^B]|NoNewPrivs)' /proc/self/status \
		>"$scratch/status"
	cat "$scratch/status"
	[ "$(grep -c '^Cap.*:[[:space:]]*0*$' "$scratch/status")" -eq 4 ] &&
		grep -q '^NoNewPrivs:[[:space:]]*1$' "$scratch/status" &&
		[ "$("$with" lo id -u)" -eq 65534 ]
}

# describes PATTERN... - each pattern matches a line of $scratch/devinfo.
describes() {
	local line

	for line; do
		grep -Eq -- "^[[:space:]]*$line\$" "$scratch/devinfo" ||
			{ echo "no line: $line"; cat "$scratch/devinfo"; return 1; }
	done
}

devinfo() {
	"$with" "$1" ibv_devinfo -v >"$scratch/devinfo" 2>&1
}

check "this machine has no RDMA device" test ! -e /sys/class/infiniband/rxe0
check "programs run without any privilege" without_privilege

check_list '' ''
check_list none ''
check_list lo uroce_lo
check_list auto uroce_lo
check_list 127.0.0.1 uroce_lo
check_list nothing ''
check "ibv_devinfo without a device" no_device lo "" 255 ibv_devinfo
check "ibv_devices without a device" no_device lo "" 1 ibv_devices

section="lo: "
check "ibv_devinfo -v" devinfo lo
check "device attributes" describes 'hca_id:.uroce_lo' \
	'transport:.*InfiniBand \(0\)' 'phys_port_cnt:.*1' \
	'atomic_cap:.*ATOMIC_HCA \(1\)' 'MEM_WINDOW_TYPE_2B' \
	'max_pkeys:.*1' 'maximum available device memory:.*16777216Bytes' 'hca_core_clock:.*1000000kHZ' 'rc_odp_caps:' \
	'ODP_SUPPORT' 'ODP_SUPPORT_IMPLICIT' 'SUPPORT_ATOMIC'
check "port attributes" describes 'state:.*PORT_ACTIVE \(4\)' \
	'link_layer:.*Ethernet' 'active_mtu:.*4096 \(5\)' 'port_lid:.*0' \
	'GID\[  0\]:.*::1, RoCE v2' 'GID\[  1\]:.*::ffff:127.0.0.1, RoCE v2'

section="two namespaces: "
check "make a pair of interfaces" veth_pair_up
for mtu in 1500:1024 4300:4096 9000:4096 1280:1024; do
	on_veth "${mtu%:*}" 4
	check "ibv_devinfo -v" devinfo left
	check "active_mtu" describes 'hca_id:.uroce_ve0' \
		"active_mtu:.*${mtu#*:} \\([0-9]\\)" \
		'GID\[  0\]:.*fe80:.*, RoCE v2' \
		'GID\[  1\]:.*::ffff:10.98.0.1, RoCE v2' \
		'GID\[  2\]:.*fd98::1, RoCE v2'
done
# The kernel has no IPv6 on interfaces with an MTU below 1280.
on_veth 600 4
check "ibv_devinfo -v" devinfo left
check "active_mtu" describes 'active_mtu:.*512 \(2\)' \
	'GID\[  1\]:.*::ffff:10.98.0.1, RoCE v2'

# The kernel reports the state of the other end up to a second later.
section="link down: "
ip -n right link set ve0 down
check "no device while the other end is down" \
	wait_for 60 no_device left ve0 255 ibv_devinfo
ip -n right link set ve0 up
check "the device is back when the other end is up" wait_for 60 devinfo left
ip -n left link set ve0 down
check "no device while its interface is down" no_device left ve0 255 ibv_devinfo
finish
