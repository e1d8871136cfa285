# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # lib.sh sets the variables
#
# A network that loses, delays, duplicates, reorders or corrupts packets, by the
# kernel's netem: only UDP, so that the TCP connections of the programs are not
# affected, and packet by packet, even if the kernel got several in one buffer.
# Sourced after lib.sh, by the cases with a network of two interfaces.

# With these variables each program logs the counters of its user-space device
# at its end. Both ends write to one file, as different users.
netem_log=$scratch/log/devices
mkdir "$scratch/log"
chmod 777 "$scratch/log"
export VERBS_LOG_LEVEL=3 VERBS_LOG_FILE=$netem_log

count_from_here() {
	: >"$netem_log"
	chmod 666 "$netem_log"
}

# counted NAME - prints the sum of a counter over all devices, since
# count_from_here.
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

# Only netem may lose or reorder packets: sockets have large buffers, and one
# processor receives all packets (two_ends.sh has the reason).
avoid_other_faults() {
	sysctl -qw net.core.rmem_max=4194304 &&
		in_place "$1" sh -c \
			"echo 1 >/sys/class/net/$2/queues/rx-0/rps_cpus"
}

# netem_on PLACE INTERFACE MTU FAULT... - sets the faults of packets that leave
# there, until the next netem_on or netem_off.
netem_on() {
	local place=$1 to=(dev "$2") mtu=$3 band
	local -a zeros=()

	shift 3
	netem_off "$place" "${to[1]}"
	avoid_other_faults "$place" "${to[1]}" || return 1
	for band in {1..16}; do
		zeros[band]=0
	done
	in_place "$place" tc qdisc add "${to[@]}" root handle 1: \
		prio bands 2 priomap "${zeros[@]}" &&
		in_place "$place" tc filter add "${to[@]}" parent 1: \
			protocol ip u32 match ip protocol 17 0xff flowid 1:2 &&
		in_place "$place" tc filter add "${to[@]}" parent 1: \
			protocol ipv6 u32 match ip6 protocol 17 0xff flowid 1:2 &&
		# The limit is one packet, so the kernel segments larger
		# buffers.
		in_place "$place" tc qdisc add "${to[@]}" parent 1:2 handle 2: \
			tbf rate 1gbit burst $((mtu + 100)) limit 16mb &&
		in_place "$place" tc qdisc add "${to[@]}" parent 2:1 handle 3: \
			netem limit 10000 "$@"
}

netem_off() {
	in_place "$1" tc qdisc del dev "$2" root 2>/dev/null || true
}

# netem_dropped PLACE INTERFACE - prints the dropped packets since netem_on.
netem_dropped() {
	in_place "$1" tc -s qdisc show dev "$2" | awk '
		$2 == "netem" { netem = 1 }
		netem && $1 == "Sent" { sub(",", "", $7); print $7; exit }'
}

# netem_mangled PLACE - prints the datagrams with a wrong UDP checksum since the
# boot.
netem_mangled() {
	# shellcheck disable=SC2016 # awk expands them
	in_place "$1" awk '
		$1 == "Udp:" && $8 ~ /[0-9]/ { sum += $8 }
		$1 == "Udp6InCsumErrors" { sum += $2 }
		END { print sum + 0 }' /proc/net/snmp /proc/net/snmp6
}
