#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# wire_bench.sh BUILD [RESULT [ROUNDS]] - speed of the user-space device on the
# wire, compared with plain UDP sockets, TCP sockets, and UCX over TCP if
# ucx_perftest is installed. The measurements take turns on one path, so their
# ratio is what counts; numbers of two runs are not comparable. BUILD is a build
# tree of the library. The path is a veth pair between two network namespaces of
# an unprivileged user, or with WIRE_PATH=lo the loopback interface.
#
# Prints a table and writes it to RESULT, tab-separated, one line for each bar
# of a plot; README.md describes the columns. Exits with 1 if a "must" was
# missed and with 77 without namespaces. Needs an idle machine.
set -eu

if [ $# -lt 1 ]; then
	echo "usage: $0 BUILD [RESULT [ROUNDS]]" >&2
	exit 2
fi

here=$(dirname "$(realpath "$0")")
build=$(realpath "$1")
result=$(realpath -m "${2:-/dev/stdout}")
rounds=${3:-21}
path=${WIRE_PATH:-veth}

. "$here/network.sh"
enter_network "$0" "$build" "$result" "$rounds"

scratch=$(mktemp -d)
peer=
running=
leave() {
	[ -z "$running" ] || kill "$running" 2>/dev/null || true
	rm -rf "$scratch"
	[ -z "$peer" ] || [ "$peer" = $$ ] || kill "$peer"
}
trap leave EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
trap 'exit 129' HUP

compile() {
	"${CC:-cc}" -O2 -std=gnu11 -D_GNU_SOURCE -I"$here/../../include" \
		-I"$here/../../providers" -I"$here/../../libibverbs" \
		-o "$scratch/$1" "$here/$1.c" "$here"/wire_{rig,udp,tcp,verbs}.c \
		"$here"/../../providers/uroce/wire/uroce_crc32*.c \
		-L"$build/lib" -libverbs -lpthread
}

ucx_server() {
	export -f ucx_end
	there bash -c 'ucx_end "$@"' bash "${ends[2]}" "$last_core" -p "$1"
}

# make_veth MTU - a pair "w<MTU>" here and "v<MTU>" at the peer.
make_veth() {
	make_pair "$1" "10.77.$(($1 / 100))" "w$1" "v$1"
}

# use_veth MTU - the path of the following measurements.
use_veth() {
	local net=10.77.$(($1 / 100))

	ends=("w$1" "$net.1" "v$1" "$net.2" "/proc/$peer/ns/net")
}

make_path() {
	ip link set lo up
	if [ "$path" = lo ]; then
		ends=(lo 127.0.0.1 lo 127.0.0.1 '')
		peer=$$
	else
		make_peer
		make_veth 9000
		make_veth 1500
		use_veth 9000
	fi
}

# In the background, since a shell that waits for a program handles no signals.
# If this shell is killed, the programs are killed as well.
measure() {
	local rc=0 rounds=$1

	shift
	setpriv --pdeathsig TERM timeout 300 "$scratch/$1" "${@:2}" \
		"${ends[@]}" "$rounds" >>"$scratch/measured" &
	running=$!
	wait "$running" || rc=$?
	running=
	return $rc
}

# UCX reads interfaces from /sys, which must be that of the namespace.
ucx_end() {
	local interface=$1 core=$2

	shift 2
	# shellcheck disable=SC2016 # for the inner shell to expand
	UCX_TLS=tcp,self UCX_LOG_LEVEL=error UCX_NET_DEVICES=$interface \
		unshare --mount sh -c 'mount -t sysfs none /sys && exec "$@"' sh \
		timeout 60 taskset -c "$core" ucx_perftest "$@"
}

# ucx NAME ROUND TEST BYTES COUNT COLUMN FACTOR - records the column of its last
# line
ucx() {
	local port=$((18000 + RANDOM % 1000)) server value

	ucx_server "$port" >/dev/null 2>&1 &
	server=$!
	sleep 0.5
	value=$(ucx_end "${ends[0]}" "$first_core" "${ends[3]}" -p $port \
		-t "$3" -s "$4" -n "$5" -w $(($5 / 10)) -f 2>/dev/null |
		awk -v column="$6" -v factor="$7" '
			$1 ~ /^[0-9]+$/ { value = $column * factor }
			END { print value }')
	wait $server || true
	[ -z "$value" ] ||
		printf '%s\t%d\t%s\n' "$1" "$2" "$value" >>"$scratch/measured"
}

# measure_sizes PART ROUNDS MTU - messages of 1 to 64 KB.
measure_sizes() {
	local kb

	use_veth "$3"
	measure "$2" wire_bench "mtu$3"
	if [ -n "$with_ucx" ]; then
		for kb in 1 2 4 16 64; do
			ucx "ucx_${kb}k_$3" "$1" tag_lat $((kb * 1024)) 3000 2 1
		done
	fi
	use_veth 9000
}

# In three parts, between which UCX, a separate program, has its turns.
measure_all() {
	local part each=$(((rounds + 2) / 3)) with_ucx=

	if command -v ucx_perftest >/dev/null; then
		with_ucx=yes
	fi
	for part in 0 1 2; do
		measure $each wire_bench base
		measure 1 wire_scale
		if [ -n "$with_ucx" ]; then
			ucx ucx_8 $part tag_lat 8 20000 2 1
			ucx ucx_1m $part tag_bw 1048576 2000 6 0.001048576
		fi
		if [ "$path" != lo ]; then
			measure_sizes $part $each 1500
			measure_sizes $part $each 9000
		fi
	done
}

cores=$(taskset -cp $$ | sed 's/.*: //')
first_core=${cores%%[-,]*}
last_core=${cores##*[-,]}
export LD_LIBRARY_PATH=$build/lib:$build/lib/libibverbs UROCE_DEVICES=auto
compile wire_bench
compile wire_scale
make_path
measure_all
awk -v path="$path" -f "$here/wire_table.awk" "$scratch/measured" \
	>"$scratch/table"
if [ "$result" != /dev/stdout ]; then
	cp "$scratch/table" "$result"
fi
column -t -s "$(printf '\t')" "$scratch/table"
! grep -q "$(printf '\tmissed$')" "$scratch/table"
