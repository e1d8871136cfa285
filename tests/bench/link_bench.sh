#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# link_bench.sh BUILD [RESULT [PART]...] - goodput of the user-space device, and of TCP
# with CUBIC and with BBR, in turns, over a link with delay, loss and reordering. PART
# is an RTT in milliseconds, or "shared": uroce and TCP (CUBIC) at the same time through
# one queue, beside two TCPs. All parts without it. The table is written to RESULT
# (README.md).
#
# The link is a process (tun_link.c) between two network namespaces, so any kernel
# with TUN interfaces does, and the processors are not emulated. Needs a C compiler,
# perftest, iperf3, /dev/net/tun, two idle processors and the right to make network
# namespaces. Exits with 77 if that is denied.
set -eu

[ $# -ge 1 ] || {
	echo "usage: $0 BUILD [RESULT [PART]...]" >&2
	exit 2
}
here=$(dirname "$(realpath "$0")")
. "$here/network.sh"
. "$here/result.sh"
enter_network "$0" "$@"

build=$(realpath "$1")
result=${2:-/dev/null}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- 0.1 1 10 50 shared

scratch=$(mktemp -d)
peer=
link=
trap 'kill $link $peer 2>/dev/null; rm -rf "$scratch"' EXIT
rate=200 # Mbit/s
seconds=5
start=1 # seconds that are not measured
size=1048576
far=10.90.0.2
export LD_LIBRARY_PATH=$build/lib:$build/lib/libibverbs

"${CC:-cc}" -O2 -std=gnu11 -D_GNU_SOURCE -o "$scratch/tun_link" \
	"$here/tun_link.c"

# make_link RTT LOSS EARLY - a new link; the faults are in millionths, and affect
# data, not acknowledgements. The queue holds the data of 1.5 RTTs and 100 packets
# more.
make_link() {
	[ -z "$link" ] || {
		kill "$link"
		wait "$link" || true
	}
	"$scratch/tun_link" "$peer" "$rate" \
		"$(awk -v ms="$1" 'BEGIN { print ms * 500 }')" \
		"$(awk -v ms="$1" -v mbit="$rate" 'BEGIN {
			printf "%d", 100 + 1.5 * ms * mbit * 1000 / 8 / 1500 }')" \
		"$2" "$3" &
	link=$!
	until [ -e /proc/sys/net/ipv4/conf/link0 ] &&
		there test -e /proc/sys/net/ipv4/conf/link1; do
		kill -0 "$link"
		sleep 0.01
	done
	ip addr add 10.90.0.1/24 dev link0
	there ip addr add "$far/24" dev link1
	ip link set link0 txqueuelen 10000 up
	there ip link set link1 txqueuelen 10000 up
}

# Waits until the server of the peer listens on TCP port $1.
wait_listening() {
	local i

	for ((i = 0; i < 500; i++)); do
		[ -z "$(there ss -Hln --tcp "sport = :$1")" ] || return 0
		sleep 0.01
	done
}

# run_ends PORT SERVER... -- CLIENT... - without a result if one of them fails
run_ends() {
	local port=$1 server

	shift
	local -a command=()
	while [ "$1" != -- ]; do
		command+=("$1")
		shift
	done
	shift
	there env UROCE_DEVICES=link1 timeout 120 "${command[@]}" \
		>"$scratch/server.$port" 2>&1 &
	server=$!
	wait_listening "$port"
	UROCE_DEVICES=link0 timeout 120 "$@" >"$scratch/client.$port" 2>&1 ||
		tail -n 3 "$scratch/client.$port" >&2
	wait "$server" || true
}

# uroce_mb_s PROGRAM - without $start seconds at the beginning and at the end
uroce_mb_s() {
	local -a program=("$1" -F -x 1 -m 1024 -s "$size" -t 8 -p 6201
		-D $((seconds + 2 * start)) -f "$start" -u 17 --report_gbits)

	run_ends 6201 "${program[@]}" -d uroce_link1 -- \
		"${program[@]}" -d uroce_link0 "$far"
	awk -v size="$size" -v seconds="$seconds" \
		'$1 == size { print $2 * size / seconds / 1e6 }' \
		"$scratch/client.6201"
}

# tcp_mb_s ALGORITHM [PORT] - without $start seconds at the beginning
tcp_mb_s() {
	local port=${2:-5201}

	run_ends "$port" iperf3 -s -1 -p "$port" -- \
		iperf3 -c "$far" -p "$port" -C "$1" -O "$start" -t "$seconds" \
		-l "$size" -f k
	iperf_mb_s "$scratch/client.$port"
}

# print_row QUANTITY PROGRAM VALUE [YARDSTICK [MUST]]
print_row() {
	result_ratio "$result" MB/s more "$@"
}

# measure_point RTT NAME MUST LOSS EARLY
measure_point() {
	local quantity="RTT $1 ms, $2" must=$3 cubic bbr best program

	make_link "$1" "$4" "$5"
	cubic=$(tcp_mb_s cubic)
	bbr=$(tcp_mb_s bbr)
	best=$(printf '%s\n' "${cubic:-0}" "${bbr:-0}" | sort -g | tail -n 1)
	for program in write send; do
		print_row "$quantity" "uroce, ${program^^}" \
			"$(uroce_mb_s "ib_${program}_bw")" "$best" "$must"
	done
	print_row "$quantity" "TCP, CUBIC" "$cubic"
	print_row "$quantity" "TCP, BBR" "$bbr"
}

measure_rtt() {
	measure_point "$1" "loss 0 %" 1 0 0
	measure_point "$1" "loss 0.1 %" 1 1000 0
	measure_point "$1" "loss 1 %" 1 10000 0
	measure_point "$1" "loss 3 %" - 30000 0
	measure_point "$1" "reordering 1 %" - 0 10000
}

# Both begin at about the same time. The shares that they have after slow start are
# chance, and CUBIC needs half a minute to change them. Two TCPs show how equal the
# shares of equal programs are then.
measure_shared() {
	local rtt start=30 seconds=30 quantity first second tcp

	for rtt in 1 10 50; do
		quantity="one queue, RTT $rtt ms"
		make_link "$rtt" 0 0
		tcp_mb_s cubic >"$scratch/first" &
		tcp=$!
		second=$(uroce_mb_s ib_write_bw)
		wait "$tcp"
		first=$(cat "$scratch/first")
		print_row "$quantity" "uroce, WRITE" "$second" "$first" 0.7
		print_row "$quantity" "TCP, CUBIC" "$first"
		tcp_mb_s cubic >"$scratch/first" &
		tcp=$!
		second=$(tcp_mb_s cubic 5202)
		wait "$tcp"
		first=$(cat "$scratch/first")
		print_row "$quantity" "TCP beside TCP" "$second" "$first"
	done
}

result_ratio_head >"$result"
make_peer
ip link set lo up
for part; do
	case $part in
	shared) measure_shared ;;
	*) measure_rtt "$part" ;;
	esac
done
