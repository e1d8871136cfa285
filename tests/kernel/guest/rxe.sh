# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # lib.sh sets the variables
#
# Makes and removes soft-RoCE devices in the guest. Sourced after lib.sh by the
# cases that need a device: rxe0 on the veth interface ve0, whose other end is
# ve1, with GID index 1 for the address 10.99.0.1.

. "$guest/nodes.sh"

rxe_address=10.99.0.1
# shellcheck disable=SC2034 # the cases use it
rxe_gid_index=1

rxe_modules() {
	modprobe -a rdma_rxe ib_uverbs rdma_ucm
}

rxe_has_gid() {
	grep -q '^0000:0000:0000:0000:0000:ffff:' \
		"/sys/class/infiniband/$1/ports/1/gids/$rxe_gid_index" 2>/dev/null
}

# rxe_up - makes rxe0 with its network, whatever the previous case has left.
rxe_up() {
	rxe_modules && veth_up ve0 ve1 "$rxe_address" || return 1
	rdma_add rxe rxe0 ve0 &&
		wait_for 60 rdma_port_is_active rxe0 &&
		wait_for 60 rxe_has_gid rxe0
}
