#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# local_bench.sh BUILD [FOLDER [ROUNDS [PLACEMENT]]] - speed of the user-space
# device between two processes of one host, compared with a cache line that they
# write in turn (P), with process_vm_writev(2) (V), and with installed programs
# of the distribution: ucx_perftest, fi_pingpong, and perftest on this device.
# All take turns in each round, so the ratio to P, V or another program is what
# counts. BUILD is a build tree of the library.
#
# P depends on where the machine places the two processes, and may change from
# one moment to the next. The rounds are divided by P, which is measured at the
# beginning and at the end of each: near (P < 80 ns, a shared cache) and far
# (P > 120 ns). With PLACEMENT (near or far) each round first waits for it, two
# minutes at most. Prints a table for each placement with at least five rounds,
# and writes it to FOLDER/local.tsv (near) or FOLDER/local_far.tsv,
# tab-separated, one line for each bar of a plot; README.md describes the
# columns. Exits with 1 if a "must" was missed, and with 2 if neither placement
# occurred. Uses two cores, in the real-time class if permitted: other programs
# of the machine wait meanwhile, and still disturb the results.
set -eu

if [ $# -lt 1 ]; then
	echo "usage: $0 BUILD [FOLDER [ROUNDS [PLACEMENT]]]" >&2
	exit 2
fi

here=$(dirname "$(realpath "$0")")
build=$(realpath "$1")
folder=${2:+$(realpath -m "$2")}
rounds=${3:-21}
placement=${4:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
: >"$scratch/measured"

compile() {
	"${CC:-cc}" -O2 -std=gnu11 -D_GNU_SOURCE -I"$here/../../include" \
		-o "$scratch/$1" "$here/$1.c" "${@:2}" \
		"$here"/wire_{rig,verbs}.c -L"$build/lib" -libverbs -lpthread
}

# side CLIENT|SERVER CORE COMMAND... - an argument "CLIENT:x" is for one side
# only
side() {
	local who=$1 core=$2 argument
	local -a command=()

	shift 2
	for argument; do
		case $argument in
		"$who":*) command+=("${argument#*:}") ;;
		CLIENT:* | SERVER:*) ;;
		*) command+=("$argument") ;;
		esac
	done
	"${class[@]}" timeout 30 taskset -c "$core" "${command[@]}" 2>/dev/null
}

# program NAME ROUND COLUMN FACTOR COMMAND... - records a number of the last
# line of COMMAND's table, times a factor
program() {
	local name=$1 round=$2 column=$3 factor=$4 server value

	shift 4
	command -v "$1" >/dev/null || return 0
	side SERVER "$last_core" "$@" >/dev/null &
	server=$!
	sleep 0.5
	value=$(side CLIENT "$first_core" "$@" |
		awk -v column="$column" -v factor="$factor" '
			$1 ~ /^[0-9]+[km]?$/ { value = $column * factor }
			END { print value }')
	wait $server || true
	[ -z "$value" ] ||
		printf '%s\t%d\t%s\n' "$name" "$round" "$value" >>"$scratch/measured"
}

ucx() {
	local name=$1 round=$2 column=$3 factor=$4 test=$5 bytes=$6 count=$7

	program "$name" "$round" "$column" "$factor" ucx_perftest \
		CLIENT:127.0.0.1 -p "$port" -f -t "$test" -s "$bytes" -n "$count" \
		-w 100 "${@:8}"
}

pingpong() {
	program "$1" "$2" "$3" "$4" fi_pingpong -p shm -e rdm -S "$5" -I "$6" \
		SERVER:-B CLIENT:-P "$port" CLIENT:127.0.0.1
}

perftest() {
	program "$1" "$2" "$3" "$4" "$5" -F -d uroce_lo -x 1 -s "$6" -n "$7" \
		-p "$port" CLIENT:127.0.0.1
}

# GB are 10^9 bytes; MB of UCX and perftest are 2^20 bytes.
others() {
	local mb=0.001048576

	port=$((18000 + RANDOM % 1000))
	perftest perftest_send_8 "$1" 5 1000 ib_send_lat 8 20000
	perftest perftest_write_1m "$1" 4 $mb ib_write_bw 1048576 1000
	ucx ucx_am_8 "$1" 3 1000 ucp_am_lat 8 20000
	ucx ucx_tag_8 "$1" 3 1000 tag_lat 8 20000
	ucx ucx_rate_8 "$1" 8 0.000001 tag_bw 8 200000
	ucx ucx_1m "$1" 6 $mb tag_bw 1048576 1000
	ucx ucx_16m "$1" 6 $mb tag_bw 16777216 100
	ucx ucx_64k "$1" 6 $mb tag_bw 65536 10000
	ucx ucx_16k "$1" 6 $mb tag_bw 16384 20000
	ucx ucx_cma_8 "$1" 3 1000 put_lat 8 10000 -x cma -d memory -D zcopy
	ucx ucx_cma_1m "$1" 6 $mb put_bw 1048576 1000 -x cma -d memory -D zcopy
	pingpong libfabric_8 "$1" 7 1000 8 20000
	pingpong libfabric_1m "$1" 6 0.001 1048576 1000
}

# line NAME ROUND - records P under this name, and prints it.
line() {
	LOCAL_ONLY=line "${class[@]}" timeout 60 "$scratch/local_bench" \
		"$2" 1 | sed "s/^line/$1/" | tee -a "$scratch/measured"
}

place_of() {
	awk '{ print ($3 < 80 ? "near" : $3 > 120 ? "far" : "between") }'
}

wait_placement() {
	local end=$((SECONDS + 120))

	[ -n "$placement" ] || return 0
	until [ "$(line line_waiting "$1" | place_of)" = "$placement" ] ||
		[ "$SECONDS" -ge "$end" ]; do
		sleep 0.2
	done
}

# A round of all programs. The second round of a process counts, as the other
# programs also repeat a transfer: in the first one the kernel maps most pages for
# the first time, and the device has no experience with the peer. The last
# measurement of P shows whether the machine moved the processes meanwhile.
measure_round() {
	local round=$1

	wait_placement "$round"
	"${class[@]}" timeout 60 "$scratch/local_bench" $((round - 1)) 2 |
		awk -v round="$round" '$2 == round' >>"$scratch/measured"
	timeout 60 "$scratch/local_threads" "$round" >>"$scratch/measured"
	others "$round"
	line line_after "$round" >/dev/null
}

# rounds_of PLACEMENT - prints the measured lines of its rounds.
rounds_of() {
	awk -v wanted="$1" 'BEGIN { FS = "\t" }
		NR == FNR { p[$2, $1] = $3; next }
		function place(ns) {
			return ns < 80 ? "near" : ns > 120 ? "far" : "between"
		}
		$1 !~ /^line_/ && (($2, "line") in p) &&
			place(p[$2, "line"]) == wanted &&
			place(p[$2, "line_after"]) == wanted
		' "$scratch/measured" "$scratch/measured"
}

# make_table PLACEMENT FILE - returns 1 if a must was missed
make_table() {
	local table=$scratch/$2

	rounds_of "$1" >"$scratch/rounds"
	if [ "$(grep -c '^line	' "$scratch/rounds")" -lt 5 ]; then
		echo "$1: fewer than five rounds"
		return
	fi
	made=1
	awk -v placement="$1" -f "$here/local_table.awk" "$scratch/rounds" \
		"$scratch/idle" >"$table"
	echo "$1: $(grep -c '^line	' "$scratch/rounds") rounds"
	column -t -s "$(printf '\t')" "$table"
	[ -z "$folder" ] || cp "$table" "$folder/$2"
	! grep -q "$(printf '\tno$')" "$table"
}

class=(chrt -f 1)
"${class[@]}" true 2>/dev/null || class=()
cores=$(taskset -cp $$ | sed 's/.*: //')
first_core=${cores%%[-,]*}
last_core=${cores##*[-,]}
export LD_LIBRARY_PATH=$build/lib:$build/lib/libibverbs UROCE_DEVICES=lo
export UCX_TLS=posix,cma,self UCX_LOG_LEVEL=error
compile local_bench "$here"/local_{mapped,raw,verbs}.c
compile local_idle
compile local_threads
for ((round = 0; round < rounds; round++)); do
	measure_round "$round"
done
timeout 60 "$scratch/local_idle" 2 >"$scratch/idle"
code=0
made=
make_table near local.tsv || code=1
make_table far local_far.tsv || code=1
[ -n "$made" ] || code=2
exit "$code"
