#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# netem_speed.sh [RTT|shared|incast]...
#
# Goodput over networks with delay, loss and reordering, of transfers of 1 MB:
# uroce and the kernel's rdma_rxe by perftest, TCP with CUBIC and with BBR by
# iperf3, and UCX over TCP by ucx_perftest, in turns. RTT, in milliseconds,
# selects the networks with that round-trip time. "shared" measures uroce and
# TCP (CUBIC) at the same time through one queue, "incast" the latency of messages
# of 4 KB from eight hosts to one. Without arguments everything is measured. $LANE_OUT/netem_speed.tsv has the results in the format of
# tests/bench/README.md; a value is "-" if a program failed, and the output has
# the reason.
#
# The rate is one that the emulated processors reach with every program, packet
# by packet; 1 Gbit/s is out of their reach.

here=$(dirname "$(readlink -f "$0")")
. "$here/../../uroce/world/networks.sh"
. "$here/../../bench/result.sh"
. "$here/../guest/netem.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/rxe_wire.sh"

mtu=1500
rate=80 # Mbit/s
seconds=3
size=1048576
# Of a program: one that makes no progress must not take the time of the others.
export LANE_COMMAND_TIMEOUT=25
table=$LANE_OUT/netem_speed.tsv

# shape PLACE INTERFACE FAULT... - the packets that leave there have the rate,
# half of the RTT and the faults. The queue holds the data of 1.5 RTTs and 100
# packets more. A limit of one packet for each burst splits the large buffers of
# the sender before the queue, so faults affect packets.
shape() {
	local place=$1 to=(dev "$2") delay limit

	shift 2
	delay=$(awk -v ms="$rtt" 'BEGIN { printf "%d", ms * 500 }')
	limit=$(awk -v ms="$rtt" -v mbit="$rate" \
		'BEGIN { printf "%d", 100 + 2 * ms * mbit * 1000 / 8 / 1500 }')
	netem_off "$place" "${to[1]}"
	avoid_other_faults "$place" "${to[1]}" &&
		in_place "$place" tc qdisc add "${to[@]}" root handle 1: tbf \
			rate 10gbit burst $((mtu + 100)) limit 16mb &&
		in_place "$place" tc qdisc add "${to[@]}" parent 1:1 handle 2: \
			netem rate "${rate}mbit" limit "$limit" \
			delay "${delay}us" "$@"
}

# network_has FAULT... - data has the faults, and acknowledgements have none.
network_has() {
	shape left ve0 && shape right ve0 "$@" && shape near sr1 &&
		shape near sr0 "$@"
}

# run_ends PLACE PLACE SERVER... -- CLIENT... - runs two programs; the server
# listens at $pair_port. Prints the reason if the client fails.
run_ends() {
	pair_run "${listens-place_listens}" "$@" ||
		[ "$(cat "$scratch/pair.client.rc" 2>/dev/null)" = 0 ] || {
		echo "     no result of: ${*:3}"
		tail -n 5 "$scratch/pair.client.out" | sed 's/^/       /'
	} >&2
}

# perftest_mb_s PROGRAM SERVER DEVICE CLIENT DEVICE GID ADDRESS - the first and
# the last second are not measured. The clock that perftest calibrates is often
# wrong here, so its result is the number of transfers.
perftest_mb_s() {
	local program=("$1" -F -x "$6" -m 1024 -s "$size" -t 8 -p "$pair_port"
		-D $((seconds + 2)) -f 1 -u 17 --report_gbits)

	run_ends "$2" "$4" "${program[@]}" -d "$3" -- \
		"${program[@]}" -d "$5" "$7"
	awk -v size="$size" -v seconds="$seconds" \
		'$1 == size { print $2 * size / seconds / 1e6 }' \
		"$scratch/pair.client.out"
}

# uroce_mb_s PROGRAM
uroce_mb_s() {
	perftest_mb_s "$1" left "$device" right "$device" "$gid" "$address"
}

rxe_mb_s() {
	local with=$guest/with listens=tcp_listens

	perftest_mb_s ib_write_bw distro rxes1 distro rxes0 \
		"$rxe_gid_index" 127.0.0.1
}

# tcp_mb_s ALGORITHM - without the first second
tcp_mb_s() {
	in_place right sysctl -qw "net.ipv4.tcp_congestion_control=$1"
	run_ends left right iperf3 -s -1 -p "$pair_port" -- \
		iperf3 -c "$address" -p "$pair_port" -O 1 -t "$seconds" \
		-l "$size" -f k
	in_place right sysctl -qw net.ipv4.tcp_congestion_control=cubic
	iperf_mb_s "$scratch/pair.client.out"
}

# ucx_mb_s MB_S - transfers the data of $seconds at this rate. UCX looks for its
# interface in /sys, which "ip netns exec" replaces.
ucx_mb_s() {
	local number with=$guest/with
	local -a program
	local -x UCX_TLS=tcp UCX_NET_DEVICES=ve0

	number=$(awk -v rate="$1" -v s="$seconds" \
		'BEGIN { printf "%d", rate * s < 3 ? 3 : rate * s }')
	program=(ucx_perftest -t tag_bw -s "$size" -n "$number" -w 1
		-p "$pair_port")
	run_ends distro distro ip netns exec left "${program[@]}" -- \
		ip netns exec right "${program[@]}" "$address"
	awk '$1 == "Final:" { print $(NF - 2) * 1.048576 }' \
		"$scratch/pair.client.out"
}

# print_row QUANTITY PROGRAM VALUE [YARDSTICK [MUST]]
unit=MB/s
better='more'
print_row() {
	result_ratio "$table" "$unit" "$better" "$@"
	pair_port=$((pair_port + 1))
}

# measure_point NAME MUST FAULT...
measure_point() {
	local quantity="RTT $rtt ms, $1" must=$2 cubic bbr best program value

	shift 2
	check "the network: $quantity" network_has "$@" || return
	cubic=$(tcp_mb_s cubic)
	bbr=$(tcp_mb_s bbr)
	best=$(printf '%s\n' "${cubic:-0}" "${bbr:-0}" | sort -g | tail -n 1)
	count_from_here
	for program in write send; do
		value=$(uroce_mb_s "ib_${program}_bw")
		print_row "$quantity" "uroce, ${program^^}" "$value" "$best" "$must"
	done
	print_row "$quantity" "TCP, CUBIC" "$cubic"
	print_row "$quantity" "TCP, BBR" "$bbr"
	value=$(rxe_mb_s)
	print_row "$quantity" "rxe, WRITE" "$value"
	value=$(ucx_mb_s "${cubic:-10}")
	print_row "$quantity" "UCX, TCP" "$value"
	echo "     uroce: retransmitted $(counted retransmitted)," \
		"NAKs $(counted naks_seq), timeouts $(counted timeouts)"
}

measure_rtt() {
	local loss must

	for loss in 0 0.1 1 3; do
		must=1
		[ "$loss" != 3 ] || must=-
		measure_point "loss $loss %" "$must" loss "$loss%"
	done
	measure_point "reordering 1 %" - reorder 1%
}

# Both begin at about the same time; the first 3 s are not measured.
measure_shared() {
	local quantity tcp uroce server client
	local -x LANE_COMMAND_TIMEOUT=60

	for rtt in 1 10 50; do
		quantity="one queue, RTT $rtt ms"
		check "the network: RTT $rtt ms" network_has || continue
		pair_port=$((pair_port + 1))
		"$with" left iperf3 -s -1 -p "$pair_port" \
			>"$scratch/tcp.server" 2>&1 &
		server=$!
		wait_for 20 place_listens "$pair_port"
		"$with" right iperf3 -c "$address" -p "$pair_port" -O 3 -t 12 \
			-f k >"$scratch/tcp.out" 2>&1 &
		client=$!
		pair_port=$((pair_port + 1))
		count_from_here
		uroce=$(seconds=16 uroce_mb_s ib_write_bw)
		wait "$client"
		stop "$server"
		tcp=$(iperf_mb_s "$scratch/tcp.out")
		print_row "$quantity" "uroce, WRITE" "$uroce" "$tcp" 0.7
		print_row "$quantity" "TCP, CUBIC" "$tcp"
		echo "     uroce: retransmitted $(counted retransmitted)," \
			"NAKs $(counted naks_seq), timeouts $(counted timeouts)"
	done
}

# host_up NAME NUMBER - a network namespace with an interface at the bridge
host_up() {
	ip netns add "$1" &&
		ip link add ve0 netns "$1" type veth peer name "p$2" netns hub &&
		ip netns exec "$1" sysctl -qw net.ipv6.conf.ve0.accept_dad=0 &&
		ip -n "$1" addr add "10.95.0.$2/24" dev ve0 &&
		ip -n "$1" link set ve0 up && ip -n "$1" link set lo up &&
		ip -n hub link set "p$2" master br0 up &&
		avoid_other_faults "$1" ve0
}

# The bottleneck is the port of the bridge to the receiver, whose queue is
# shorter than the data of a round.
incast_up() {
	local i

	modprobe bridge && ip netns add hub &&
		ip -n hub link add br0 type bridge && ip -n hub link set br0 up &&
		host_up sink 100 || return 1
	for ((i = 1; i <= senders; i++)); do
		host_up "s$i" "$i" || return 1
	done
	in_place hub tc qdisc add dev p100 root tbf rate 40mbit \
		burst $((mtu + 100)) limit "$incast_queue"
}

incast_down() {
	local i

	ip netns del hub && ip netns del sink || return 1
	for ((i = 1; i <= senders; i++)); do
		ip netns del "s$i" || return 1
	done
}

# incast_us verbs|tcp - sets $p50 and $p99 to the latency of the messages.
incast_us() {
	local i receiver pairing=sink: program=("$tools/incast")
	local options=("$1" "$pair_port" "$device" "$gid" "$incast_rounds")
	local -a clients=()

	"$with" sink "${program[@]}" receive "${options[@]}" "$senders" \
		>"$scratch/incast.out" 2>&1 &
	receiver=$!
	wait_for 20 place_listens "$pair_port"
	for ((i = 1; i <= senders; i++)); do
		"$with" "s$i" "${program[@]}" send "${options[@]}" 10.95.0.100 \
			>"$scratch/incast.$i" 2>&1 &
		clients+=($!)
	done
	wait "$receiver" "${clients[@]}"
	grep -h FAIL "$scratch"/incast.*
	p50=$(awk '$1 == "p50" { print $2 }' "$scratch/incast.out")
	p99=$(awk '$1 == "p50" { print $4 }' "$scratch/incast.out")
}

measure_incast() {
	local unit=us better=less p50 p99 tcp50 tcp99
	local senders=8 incast_queue=24000 incast_rounds=300
	local quantity="4 KB messages, incast 8:1"
	local -x LANE_COMMAND_TIMEOUT=60

	check "the network of the incast" incast_up || return
	incast_us tcp
	tcp50=$p50
	tcp99=$p99
	count_from_here
	incast_us verbs
	print_row "$quantity, median" "uroce, SEND" "$p50" "$tcp50"
	print_row "$quantity, median" "TCP, CUBIC" "$tcp50"
	print_row "$quantity, 99th percentile" "uroce, SEND" "$p99" "$tcp99" 1
	print_row "$quantity, 99th percentile" "TCP, CUBIC" "$tcp99"
	echo "     uroce: retransmitted $(counted retransmitted)," \
		"NAKs $(counted naks_seq), timeouts $(counted timeouts)"
	in_place hub tc -s qdisc show dev p100 | grep dropped
	check "the network of the incast is removed" incast_down
}

[ $# -gt 0 ] || set -- 0.2 1 10 50 shared incast
result_ratio_head >"$table"
check "the kernel has the modules" \
	modprobe -a sch_netem sch_tbf tcp_bbr || finish
check "uroce has a wire" on_veth "$mtu" 4
check "load the modules of rxe" rxe_modules
check "rxe has a wire" rxe_wire_up
for part; do
	case $part in
	shared) measure_shared ;;
	incast) measure_incast ;;
	*) rtt=$part measure_rtt ;;
	esac
done
check "remove the wire of rxe" rxe_wire_down
finish
