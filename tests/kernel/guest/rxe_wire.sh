# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Two devices of the kernel's rdma_rxe, rxes0 on sr0 and rxes1 on sr1, with a
# wire between them. rdma_rxe works only in the first network namespace, in
# which packets would not leave the host: routing rules send them over the wire.
# Sourced after lib.sh and rxe.sh.

rxe_near=10.96.0.1 rxe_far=10.96.0.2

# leave_by INTERFACE FROM TO NEIGHBOUR TABLE
leave_by() {
	local mac

	mac=$(cat "/sys/class/net/$4/address") &&
		ip neigh replace "$3" lladdr "$mac" dev "$1" &&
		ip route add "$3" dev "$1" table "$5" &&
		ip rule add pref 10 from "$2" to "$3" iif lo lookup "$5"
}

# Rules with priority over those of local addresses.
rxe_wire_up() {
	local dev

	ip link add sr0 type veth peer name sr1 || return 1
	for dev in all sr0 sr1; do
		sysctl -qw "net.ipv4.conf.$dev.rp_filter=0" \
			"net.ipv4.conf.$dev.accept_local=1" || return 1
	done
	ip addr add "$rxe_near/32" dev sr0 &&
		ip addr add "$rxe_far/32" dev sr1 &&
		ip link set sr0 up && ip link set sr1 up &&
		ip rule add pref 100 lookup local && ip rule del pref 0 &&
		leave_by sr0 "$rxe_near" "$rxe_far" sr1 201 &&
		leave_by sr1 "$rxe_far" "$rxe_near" sr0 202 &&
		rdma_add rxe rxes0 sr0 && rdma_add rxe rxes1 sr1 &&
		wait_for 10 rdma_port_is_active rxes0 &&
		wait_for 10 rdma_port_is_active rxes1 &&
		wait_for 10 rxe_has_gid rxes0 && wait_for 10 rxe_has_gid rxes1
}

rxe_wire_down() {
	rdma link del rxes0 && rdma link del rxes1 && ip link del sr0 &&
		ip rule add pref 0 lookup local && ip rule del pref 100 &&
		ip rule del lookup 201 && ip rule del lookup 202
}
