#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Throughput of the device in user space and of TCP (CUBIC) over networks with
# delay and loss: WRITEs and READs of 1 MB by perftest, and messages of 1 MB by
# qperf. First one after the other, then both at the same time through one queue.

here=$(dirname "$(readlink -f "$0")")
. "$here/../../uroce/world/networks.sh"
. "$here/../guest/netem.sh"

mtu=1500
rate=200 # Mbit/s
seconds=10

# network_has RTT LOSS - both directions have the rate, half of the RTT, and a
# queue for the data of an RTT and 100 packets more. Data is lost from the right,
# for READs from the left.
network_has() {
	local delay limit place lost from=${3-right}

	delay=$(awk -v ms="$1" 'BEGIN { printf "%d", ms * 500 }')
	limit=$(awk -v ms="$1" -v mbit="$rate" \
		'BEGIN { printf "%d", 100 + 2 * ms * mbit * 1000 / 8 / 1500 }')
	for place in left right; do
		lost=0
		[ "$place" != "$from" ] || lost=$2
		netem_off "$place" ve0
		avoid_other_faults "$place" ve0 &&
			in_place "$place" tc qdisc add dev ve0 root netem \
				rate "${rate}mbit" limit "$limit" \
				delay "${delay}us" loss "$lost%" || return 1
	done
}

tcp_mb_s() {
	pair_endless=yes
	pair_port=$((pair_port + 1))
	pair_run place_listens left right qperf -lp "$pair_port" -- \
		qperf -lp "$pair_port" -t "$seconds" -m 1M -u "$address" tcp_bw
	pair_endless=
	awk '$1 == "bw" { gsub(",", ""); print $3 / 1e6 }' \
		"$scratch/pair.client.out"
}

# uroce_mb_s PROGRAM
uroce_mb_s() {
	local -a program=("$1" -F -x "$gid" -m 1024 -s 1048576 -t 8
		-D "$seconds" -f 0 -u 17 --report_gbits)

	pair_port=$((pair_port + 1))
	pair_run place_listens left right "${program[@]}" -p "$pair_port" -- \
		"${program[@]}" -p "$pair_port" "$address"
	awk '$1 == 1048576 { print $4 * 1000 / 8 }' "$scratch/pair.client.out"
}

# both_mb_s - sets $tcp and $uroce to the throughput of each beside the other.
both_mb_s() {
	local port server client

	pair_port=$((pair_port + 1))
	port=$pair_port
	in_place left qperf -lp "$port" &
	server=$!
	in_place right qperf -lp "$port" -ws 5 -t "$seconds" -m 1M -u "$address" \
		tcp_bw >"$scratch/tcp.out" &
	client=$!
	uroce=$(uroce_mb_s ib_write_bw)
	wait "$client"
	kill "$server"
	wait "$server"
	tcp=$(awk '$1 == "bw" { gsub(",", ""); print $3 / 1e6 }' "$scratch/tcp.out")
}

# print_row OPERATION
print_row() {
	awk -v operation="$1" -v rtt="$rtt" -v loss="$loss" -v tcp="$tcp" -v uroce="$uroce" \
		'BEGIN { printf "%6s %6s %6s %12.2f %12.2f %8.2f\n", rtt, loss,
			operation, tcp, uroce, tcp ? uroce / tcp : 0 }'
	echo "     retransmitted $(counted retransmitted)," \
		"NAKs $(counted naks_seq), timeouts $(counted timeouts)"
}

check "the kernel has the netem modules" netem_modules || finish
check "the two ends come up" on_veth "$mtu" 4
printf '%6s %6s %6s %12s %12s %8s\n' RTT loss "" TCP uroce ratio
for rtt in 0.2 1 10 50; do
	for loss in 0 0.1 1; do
		check "the network: RTT $rtt ms, loss $loss %" \
			network_has "$rtt" "$loss" || continue
		count_from_here
		tcp=$(tcp_mb_s)
		uroce=$(uroce_mb_s ib_write_bw)
		print_row WRITE
		check "losses from the left" network_has "$rtt" "$loss" left ||
			continue
		count_from_here
		uroce=$(uroce_mb_s ib_read_bw)
		print_row READ
	done
done
echo "both at the same time:"
seconds=30
loss=0
for rtt in 1 10 50; do
	check "the network: RTT $rtt ms" network_has "$rtt" 0 || continue
	count_from_here
	both_mb_s
	print_row WRITE
done
finish
