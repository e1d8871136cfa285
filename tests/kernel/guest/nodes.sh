# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# RDMA devices on network interfaces of the guest, for any driver. Sourced by
# rxe.sh and siw_link.sh, after lib.sh.

# rdma_node NAME - prints the character device of an RDMA device.
rdma_node() {
	local dir

	for dir in /sys/class/infiniband_verbs/uverbs*; do
		if [ "$(cat "$dir/ibdev")" = "$1" ]; then
			echo "/dev/infiniband/$(basename "$dir")"
			return
		fi
	done
	return 1
}

rdma_has_node() {
	local node

	node=$(rdma_node "$1" 2>/dev/null) && [ -c "$node" ]
}

# The kernel makes the nodes of the guest's /dev itself. A machine with udev
# also has these links, which the distribution's library uses.
rdma_char_link() {
	local node numbers

	node=$(rdma_node "$1") && numbers=$(stat -c '%Hr:%Lr' "$node") || return 1
	mkdir -p /dev/char
	ln -sfn "../infiniband/$(basename "$node")" "/dev/char/$numbers"
}

# rdma_add DRIVER NAME NETDEV - returns when a program can open and use the
# device.
rdma_add() {
	[ -e "/sys/class/infiniband/$2" ] ||
		rdma link add "$2" type "$1" netdev "$3" || return 1
	wait_for 60 rdma_has_node "$2" && rdma_char_link "$2"
}

rdma_port_is_active() {
	grep -q ACTIVE "/sys/class/infiniband/$1/ports/1/state" 2>/dev/null
}

# veth_up NAME PEER ADDRESS - makes a pair of interfaces, both up.
veth_up() {
	if [ ! -e "/sys/class/net/$1" ]; then
		ip link add "$1" type veth peer name "$2" || return 1
		# Without duplicate address detection the GIDs are available at
		# once.
		sysctl -qw "net.ipv6.conf.$1.accept_dad=0" \
			"net.ipv6.conf.$2.accept_dad=0"
		ip addr add "$3/24" dev "$1" || return 1
	fi
	ip link set "$1" up && ip link set "$2" up
}
