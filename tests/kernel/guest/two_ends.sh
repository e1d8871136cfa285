# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # between lib.sh and the cases
#
# The kernel's rdma_rxe and the device in user space, with a pair of interfaces
# between them: rxef on fe0, and uroce_fe1 on fe1 in the network namespace
# "far". (rdma_rxe 6.1 and 6.12 send and receive in the first network namespace
# only.) Sourced after lib.sh, rxe.sh and pair.sh. "Library" means the place and
# the library of a program: interop_with lists the places.

with=$guest/interop_with
INTEROP_CAPTURE=$scratch/packets.pcap
export INTEROP_CAPTURE

pair_port=26000

near_address=10.97.0.1
far_address=10.97.0.2
near_address6=fd97::1
far_address6=fd97::2
interop_counters=/sys/class/infiniband/rxef/ports/1/hw_counters

interop_has_gids() {
	grep -q '^fd97:' /sys/class/infiniband/rxef/ports/1/gids/2 2>/dev/null
}

# Each processor has a queue of its own for packets received over such a pair, so
# packets overtake each other if their sender moves to another processor. With
# this setting, one processor receives all of them.
# in_order INTERFACE [COMMAND...] - COMMAND runs another command elsewhere
in_order() {
	"${@:2}" sh -c "echo 1 >/sys/class/net/$1/queues/rx-0/rps_cpus"
}

# interop_up [MTU]
interop_up() {
	local mtu=${1:-1500}

	rxe_modules || return 1
	# rxe sends up to 128 packets ahead: more than a socket of the default
	# size holds while its owner sleeps for a while, as on a busy machine.
	sysctl -qw net.core.rmem_max=4194304 || return 1
	if [ ! -e /run/netns/far ]; then
		ip netns add far &&
			ip link add fe0 type veth peer name fe1 netns far || return 1
		# Without duplicate address detection the GIDs are available at
		# once.
		sysctl -qw net.ipv6.conf.fe0.accept_dad=0 || return 1
		ip netns exec far sysctl -qw net.ipv6.conf.fe1.accept_dad=0 ||
			return 1
		ip addr add "$near_address/24" dev fe0 &&
			ip addr add "$near_address6/64" dev fe0 &&
			ip -n far addr add "$far_address/24" dev fe1 &&
			ip -n far addr add "$far_address6/64" dev fe1 &&
			ip -n far link set lo up && in_order fe0 &&
			in_order fe1 ip netns exec far || return 1
	fi
	ip link set fe0 mtu "$mtu" up && ip -n far link set fe1 mtu "$mtu" up ||
		return 1
	rdma_add rxe rxef fe0 && wait_for 60 rdma_port_is_active rxef &&
		wait_for 60 interop_has_gids
}

# interop_down - restores the devices that later cases expect.
interop_down() {
	rdma link del rxef && ip link del fe0 && ip netns del far
}

interop_listens() {
	[ -n "$(ss -Htln "sport = :$1")" ] ||
		[ -n "$(ss -N far -Htln "sport = :$1")" ]
}

# The port space of interop_cm_listens: TCP, or 111 for UDP.
interop_port_space=106

# interop_cm_listens PORT - listens through the connection manager of either end.
interop_cm_listens() {
	cm_listens "$1" || gsi_listens "$interop_port_space" "$1" -N far
}

# The GID index of each device is 1 for IPv4 and 2 for IPv6.
gid_of() {
	[ "$1" = 4 ] && echo 1 || echo 2
}

device_of() {
	[ "$1" = far ] && echo uroce_fe1 || echo rxef
}

# address_of PLACE [4|6]
address_of() {
	case $1${2-4} in
	far4) echo "$far_address" ;;
	far6) echo "$far_address6" ;;
	*4) echo "$near_address" ;;
	*6) echo "$near_address6" ;;
	esac
}

# The column of the table, instead of a pair of libraries.
pairing_label() {
	local near=${1#far:}

	echo "uroce+$(library_label "${near%:far}")"
}

# counters_save, counters_unchanged NAME... - compare rxe's counters with the
# saved ones.
counters_save() {
	grep . "$interop_counters"/* >"$scratch/counters"
}

counters_unchanged() {
	local name before now rc=0

	for name; do
		before=$(sed -n "s|^$interop_counters/$name:||p" "$scratch/counters")
		now=$(cat "$interop_counters/$name") || rc=1
		[ "$before" = "$now" ] || {
			echo "$name: was $before, is $now"
			rc=1
		}
	done
	return "$rc"
}

# Counters that stay 0 between two compatible devices without packet loss. Not
# among them: duplicate_request, as uroce sends the last packet again if its ACK
# comes late.
never='out_of_seq_request rcvd_seq_err retry_exceeded_err
	retry_rnr_exceeded_err completer_retry_err send_err'

# counter NAME - prints its increase.
counter() {
	local before

	before=$(sed -n "s|^$interop_counters/$1:||p" "$scratch/counters")
	echo $(($(cat "$interop_counters/$1") - before))
}
