#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# flood_bench.sh BUILD [RESULT [ROUNDS]] - what a flood of connection requests
# costs the data path of the user-space device, beside a flood of datagrams of the
# same size to an unused UDP port of the host, and no flood. perftest measures,
# between two network namespaces. The receiver of the messages is the flooded host.
# Each measurement takes 8 s and includes the burst that the library permits.
# README.md describes the columns of RESULT. Needs a C compiler, perftest and an
# idle machine; exits with 77 without namespaces.
set -euo pipefail

if [ $# -lt 1 ]; then
	echo "usage: $0 BUILD [RESULT [ROUNDS]]" >&2
	exit 2
fi
here=$(dirname "$(realpath "$0")")
build=$(realpath "$1")
result=$(realpath -m "${2:-/dev/stdout}")
rounds=${3:-3}
rate=${FLOOD_RATE:-20000}

. "$here/network.sh"
enter_network "$0" "$build" "$result" "$rounds"

scratch=$(mktemp -d)
flood=
# shellcheck disable=SC2046 # a list of processes
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

wire=$here/../../providers/uroce/wire
"${CC:-cc}" -O2 -std=gnu11 -D_GNU_SOURCE -I"$wire/../.." \
	-I"$here/../../libibverbs" -I"$here/../../include" -o "$scratch/flood" \
	"$here/flood_send.c" "$wire"/*.c

# The host with the receiver is the other namespace.
make_peer
ip link set lo up
make_pair 1500 10.77.1 near far
export LD_LIBRARY_PATH=$build/lib UROCE_DEVICES=auto

# perftest PROGRAM ARGUMENT... - prints the number that the client prints.
perftest() {
	local port=18515 server

	there "$@" -p "$port" >"$scratch/server" 2>&1 &
	server=$!
	until [ -n "$(there ss -Htln "sport = :$port")" ]; do
		kill -0 "$server" || { cat "$scratch/server" >&2; exit 1; }
		sleep 0.01
	done
	"$@" -p "$port" 10.77.1.2 2>"$scratch/client" || {
		kill "$server"
		cat "$scratch/client" >&2
		exit 1
	}
	wait "$server"
}

bandwidth() {
	perftest ib_send_bw -x 1 -s 65536 -D 8 --output=bandwidth | tail -n 1
}
latency() {
	perftest ib_send_lat -x 1 -s 8 -D 8 --output=latency | tail -n 1
}

# flood_with KIND - the host with the receiver is flooded.
flood_with() {
	[ "$1" != none ] || return 0
	"$scratch/flood" "$1" 10.77.1.1 10.77.1.2 "$rate" >"$scratch/sent" &
	flood=$!
	until [ -s "$scratch/sent" ]; do
		kill -0 "$flood" || exit 1
		sleep 0.1
	done
}
end_flood() {
	[ -z "$flood" ] || kill "$flood"
	[ -z "$flood" ] || wait "$flood" || true
	flood=
}

for ((round = 0; round < rounds; round++)); do
	for kind in none udp mads; do
		flood_with "$kind"
		value=$(bandwidth)
		printf 'bandwidth\t%s\t%s\n' "$kind" "$value"
		value=$(latency)
		printf 'latency\t%s\t%s\n' "$kind" "$value"
		end_flood
	done
done >"$scratch/measured"

sort -t '	' -k 1,2 -k 3,3n "$scratch/measured" | awk -F '\t' -v OFS='\t' '
	{ n = ++count[$1, $2]; value[$1, $2, n] = $3 }
	function median(what, kind) {
		return value[what, kind, int((count[what, kind] + 1) / 2)]
	}
	function row(quantity, what, who, kind, unit, better, must) {
		ours = median(what, kind)
		theirs = kind == "none" ? "-" : median(what, "none")
		if (kind == "mads")
			theirs = median(what, "udp")
		print quantity, who, sprintf("%.3f", ours), unit, \
			theirs == "-" ? "-" : sprintf("%.3f", theirs), \
			theirs == "-" ? "-" : sprintf("%.3f", ours / theirs), better, \
			kind == "mads" ? must : "-"
	}
	function rows(quantity, what, unit, better, must) {
		row(quantity, what, "no flood", "none", unit, better, must)
		row(quantity, what, "UDP, unused port", "udp", unit, better, must)
		row(quantity, what, "connection requests", "mads", unit, better, must)
	}
	END {
		print "quantity", "who", "value", "unit", "yardstick", "ratio", \
			"better", "must"
		rows("SEND 64 KB", "bandwidth", "MB/s", "more", 0.95)
		rows("SEND 8 B, half round trip", "latency", "us", "less", 1.05)
	}' | tee "$result"
