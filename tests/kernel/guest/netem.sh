# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # lib.sh sets the variables
#
# A network that loses, delays, doubles, reorders or corrupts packets, by the
# kernel's netem: UDP only, so that the programs meet over TCP undisturbed, and
# packet by packet, however many went to the kernel in one piece. Sourced after
# lib.sh, by the cases with a network of two interfaces.

# With these each program tells at its end what its device in user space has
# counted. Both ends write to one file, as different users.
netem_log=$scratch/log/devices
mkdir "$scratch/log"
chmod 777 "$scratch/log"
export VERBS_LOG_LEVEL=3 VERBS_LOG_FILE=$netem_log

count_from_here() {
	: >"$netem_log"
	chmod 666 "$netem_log"
}

# counted NAME - by all devices, since then
counted() {
	awk -v name="$1" '/uroce: / && $(NF - 1) == name { sum += $NF }
		END { print sum + 0 }' "$netem_log"
}

netem_modules() {
	modprobe -a sch_netem sch_tbf sch_prio cls_u32
}

# in_place PLACE COMMAND... - "near" is the first network namespace.
in_place() {
	if [ "$1" = near ]; then
		"${@:2}"
	else
		ip netns exec "$@"
	fi
}

# Nothing but netem is to have packets lost or overtaken: a socket has room, and
# one processor takes in all that comes (two_ends.sh says why).
nothing_else() {
	sysctl -qw net.core.rmem_max=4194304 &&
		in_place "$1" sh -c \
			"echo 1 >/sys/class/net/$2/queues/rx-0/rps_cpus"
}

# netem_on PLACE INTERFACE MTU FAULT... - for what leaves there, until it is called
# again, or netem_off is
netem_on() {
	local place=$1 to=(dev "$2") mtu=$3 band
	local -a zeros=()

	shift 3
	netem_off "$place" "${to[1]}"
	nothing_else "$place" "${to[1]}" || return 1
	for band in {1..16}; do
		zeros[band]=0
	done
	in_place "$place" tc qdisc add "${to[@]}" root handle 1: \
		prio bands 2 priomap "${zeros[@]}" &&
		in_place "$place" tc filter add "${to[@]}" parent 1: \
			protocol ip u32 match ip protocol 17 0xff flowid 1:2 &&
		in_place "$place" tc filter add "${to[@]}" parent 1: \
			protocol ipv6 u32 match ip6 protocol 17 0xff flowid 1:2 &&
		# It takes no more than a packet at a time, and so makes packets.
		in_place "$place" tc qdisc add "${to[@]}" parent 1:2 handle 2: \
			tbf rate 1gbit burst $((mtu + 100)) limit 16mb &&
		in_place "$place" tc qdisc add "${to[@]}" parent 2:1 handle 3: \
			netem limit 10000 "$@"
}

netem_off() {
	in_place "$1" tc qdisc del dev "$2" root 2>/dev/null || true
}

# netem_dropped PLACE INTERFACE - packets, since netem_on
netem_dropped() {
	in_place "$1" tc -s qdisc show dev "$2" | awk '
		$2 == "netem" { netem = 1 }
		netem && $1 == "Sent" { sub(",", "", $7); print $7; exit }'
}

# netem_mangled PLACE - datagrams whose UDP checksum was wrong, since the boot
netem_mangled() {
	# shellcheck disable=SC2016 # awk expands them
	in_place "$1" awk '
		$1 == "Udp:" && $8 ~ /[0-9]/ { sum += $8 }
		$1 == "Udp6InCsumErrors" { sum += $2 }
		END { print sum + 0 }' /proc/net/snmp /proc/net/snmp6
}
