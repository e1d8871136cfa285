# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # lib.sh sets the variables
#
# Makes and removes soft-RoCE devices in the guest. Sourced after lib.sh by the
# cases that need a device: rxe0 on the veth interface ve0, whose other end is
# ve1, with GID index 1 for the address 10.99.0.1.

rxe_address=10.99.0.1
# shellcheck disable=SC2034 # the cases use it
rxe_gid_index=1

rxe_modules() {
	modprobe -a rdma_rxe ib_uverbs rdma_ucm
}

rxe_network() {
	[ ! -e /sys/class/net/ve0 ] || return 0
	ip link add ve0 type veth peer name ve1 || return 1
	# Without duplicate address detection the GIDs are there at once.
	sysctl -qw net.ipv6.conf.ve0.accept_dad=0 net.ipv6.conf.ve1.accept_dad=0
	ip addr add "$rxe_address/24" dev ve0 || return 1
	ip link set ve0 up && ip link set ve1 up
}

rxe_port_is_active() {
	grep -q ACTIVE "/sys/class/infiniband/$1/ports/1/state" 2>/dev/null
}

rxe_has_gid() {
	grep -q '^0000:0000:0000:0000:0000:ffff:' \
		"/sys/class/infiniband/$1/ports/1/gids/$rxe_gid_index" 2>/dev/null
}

# rxe_node NAME - prints the character device of an RDMA device.
rxe_node() {
	local dir

	for dir in /sys/class/infiniband_verbs/uverbs*; do
		if [ "$(cat "$dir/ibdev")" = "$1" ]; then
			echo "/dev/infiniband/$(basename "$dir")"
			return
		fi
	done
	return 1
}

rxe_has_node() {
	local node

	node=$(rxe_node "$1" 2>/dev/null) && [ -c "$node" ]
}

# The kernel makes the nodes of the guest's /dev itself. A machine with udev has
# these links too, and the distribution's library looks for them.
rxe_char_link() {
	local node numbers

	node=$(rxe_node "$1") && numbers=$(stat -c '%Hr:%Lr' "$node") || return 1
	mkdir -p /dev/char
	ln -sfn "../infiniband/$(basename "$node")" "/dev/char/$numbers"
}

# rxe_add NAME NETDEV - returns when a program can open and use it.
rxe_add() {
	[ -e "/sys/class/infiniband/$1" ] ||
		rdma link add "$1" type rxe netdev "$2" || return 1
	wait_for 10 rxe_has_node "$1" && rxe_char_link "$1"
}

# rxe_up - rxe0 with its network, whatever the case before has left.
rxe_up() {
	rxe_modules && rxe_network && ip link set ve1 up || return 1
	rxe_add rxe0 ve0 &&
		wait_for 10 rxe_port_is_active rxe0 &&
		wait_for 10 rxe_has_gid rxe0
}
