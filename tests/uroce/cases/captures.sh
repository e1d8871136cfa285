#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# UROCE_PCAP: the packets that programs send to each other, with every opcode of
# the device, over loopback and between two network namespaces, IPv4 and IPv6.
# tshark must decode every packet, and an independent computation must confirm
# each ICRC. The programs are the interop_* programs of the kernel lane.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"
. "$here/../../kernel/guest/checked.sh"

kernel_lane=$here/../../kernel
# For the interop_* programs, whose default timeout is longer; a network may
# lose packets.
export INTEROP_TIMEOUT=16
# RC with FLUSH and ATOMIC WRITE, UC, UD
opcodes=({0..20} 22 23 28 29 {32..43} 100 101)

# with_capture FAMILY - captures the packets of both ends in one file.
with_capture() {
	local program

	export UROCE_PCAP=$scratch/packets.pcap
	rm -f "$UROCE_PCAP"
	for program in interop_rc interop_rest flush_pair; do
		checked place_listens "$pairing" "$program" "$gid" \
			"$device:$device" "$address"
	done
	ends ' iters in ' ibv_rc_pingpong -g "$gid" -n 20 -c -s 10001
	ends ' iters in ' ibv_ud_pingpong -g "$gid" -n 20 -c -s 1000
	row=tshark
	column=$path
	says "tshark decodes every packet" ' 101:' \
		"$kernel_lane/lane_capture" "$UROCE_PCAP" "${opcodes[@]}"
	head -n 1 "$scratch/says.log"
	row=ICRC
	says "the ICRC of every packet is right" '^[1-9][0-9]* right, 0 wrong$' \
		python3 "$kernel_lane/capture_icrc.py" "$UROCE_PCAP"
	head -n 1 "$scratch/says.log"
	row=
	unset UROCE_PCAP
}

# test_no_capture NAME FILE - the device works without the capture, and says so.
test_no_capture() {
	local log=$scratch/no_capture.log
	local -x UROCE_PCAP=$2 VERBS_LOG_LEVEL=2 VERBS_LOG_FILE=$log

	: >"$log"
	chmod 666 "$log"
	says "UROCE_PCAP is $1: the state of the port" PORT_ACTIVE \
		"$with" lo ibv_devinfo -d "$device"
	says "UROCE_PCAP is $1: the log" 'UROCE_PCAP: no capture: ' cat "$log"
}

on_lo 4
mkfifo "$scratch/fifo" && chmod 666 "$scratch/fifo"
test_no_capture "a FIFO without a reader" "$scratch/fifo"
test_no_capture "a directory" "$scratch"
test_no_capture "a file that cannot be created" /proc/packets.pcap

for family in 4 6; do
	on_lo "$family"
	with_capture "$family"
	for mtu in 1500 4300; do
		check "the network" on_veth "$mtu" "$family"
		with_capture "$family"
	done
done
finish
