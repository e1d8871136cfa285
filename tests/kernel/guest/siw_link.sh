# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # lib.sh sets the variables
#
# Makes soft-iWARP devices in the guest: siw0 on the veth interface ve2, whose
# other end is ve3, with the address 10.98.0.1. Debian has no such module;
# run_lane calls lane_siw, which builds it. Sourced after lib.sh.

. "$guest/nodes.sh"

# shellcheck disable=SC2034 # the cases use it
siw_address=10.98.0.1

siw_modules() {
	modprobe -a iw_cm siw ib_uverbs rdma_ucm
}

# siw_up - makes siw0 with its network, whatever the previous case has left.
siw_up() {
	siw_modules && veth_up ve2 ve3 "$siw_address" || return 1
	rdma_add siw siw0 ve2 && wait_for 60 rdma_port_is_active siw0
}
