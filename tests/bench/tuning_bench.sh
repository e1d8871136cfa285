#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# tuning_bench.sh [-r ROUNDS] [NAME...] - what the constants of
# providers/uroce/tuning.md buy, all or the named ones. For each line of the
# table below, builds the user-space device with the constant changed so that it
# has no effect, and measures both builds in turns. Prints the medians without
# and with the constant, and between which values half of the rounds are. A
# difference within these bounds is none. Needs cmake, ninja and two cores, which
# it uses in the real-time class if permitted; rows with ib_* need perftest.
set -euo pipefail

rounds=15
if [ "${1-}" = -r ]; then
	rounds=$2
	shift 2
fi
here=$(dirname "$(realpath "$0")")
top=$(realpath "$here/../..")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
class=(chrt -f 10)
"${class[@]}" true 2>/dev/null || class=()

# name|file of providers/uroce|sed expression|benchmark|its arguments
# In an expression, "=NAME VALUE" stands for another definition of a macro.
table() {
	cat <<-'END'
		ACK_EVERY|roce/uroce_requester.c|=ACK_EVERY 100000|goodput|50.0 1.0 WRITE
		ACKS_OF_WINDOW|roce/uroce_requester.c|=ACKS_OF_WINDOW 1|net_sim|9 incast
		CNP_NS|roce/uroce_ecn.c|=CNP_NS 0u|net_sim|17 incast selective=0 mark_min_kb=20 mark_max_kb=80
		UROCE_MAX_BURST|roce/uroce_engine.h|=UROCE_MAX_BURST 1|perftest|4 network ib_write_bw -s 65536 -q 4 -n 500 -m 1024
		runs|progress/uroce_worker_pass.c|s/UROCE_MAX_BURST, out/0, out/|perftest|4 network ib_write_bw -s 1048576 -n 1000 -m 1024
		BATCH_BYTES|udp/uroce_port_send.c|=BATCH_BYTES 65536|wire|send_4096
		sendmmsg|udp/uroce_port_send.c|s/while (at + nr < batch->nr_messages &&/while (false \&\&/|perftest|5 network ib_read_bw -s 64 -q 16 -n 4000 -t 1 -m 1024
		recvmmsg|udp/uroce_port_receive.c|=MAX_MESSAGES 1|perftest|5 network ib_read_bw -s 64 -q 16 -n 4000 -m 1024
		MAX_PAUSE_NS|progress/uroce_worker_pass.c|=MAX_PAUSE_NS 0|one_host|send_8
		POLL_BUDGET_NS|progress/uroce_worker_quick.c|=POLL_BUDGET_NS 0|one_host|write_8
		may_postpone_ack|roce/uroce_fast_receive.c|s/if (engine->may_postpone_ack \&\&/if (false \&\&/|one_host|send_8
		POLLED_EVERY_NS|shm/uroce_shm_directory.c|s/ || now - directory->polled_ns < POLLED_EVERY_NS//|one_host|write_8
		MANY_BYTES|progress/uroce_worker_shm.c|=MANY_BYTES 0xffffffffu|one_host|write_64k
		LOOKS|roce/uroce_rndv.c|=LOOKS 0|perftest|5 rndv ib_send_lat -s 262144 -n 4000
		MAX_PACKETS|shm/uroce_shm_path.c|=MAX_PACKETS 1|one_host|rate_8
		MISSED_LEASES|progress/uroce_helper.h|=UROCE_MISSED_LEASES 2000000000|perftest|5 slow ib_write_lat -s 8 -n 300
		ALL_UNITS|verbs/uroce_take.c|=ALL_UNITS 1|one_core|send_8
	END
}

# build NAME - copies the libraries and simulations that the sources make.
build() {
	ninja -C "$scratch/build" libibverbs.so liburoce-anyverbs1.so \
		goodput_sim net_sim >"$scratch/log" 2>&1 ||
		{ cat "$scratch/log" >&2; return 1; }
	mkdir "$scratch/$1"
	cp -a "$scratch/build/lib/." "$scratch/build"/tests/sim/*_sim "$scratch/$1"
}

# build_without NAME FILE EXPRESSION
build_without() {
	local file=$scratch/src/providers/uroce/$2 expression=$3

	case $expression in
	=*)
		expression=${expression#=}
		expression="s/^#define ${expression%% *}[ \t].*/#define $expression/"
		;;
	esac
	cp "$file" "$scratch/saved"
	sed -i "$expression" "$file"
	! cmp -s "$file" "$scratch/saved" || { echo "$1: not found in $2" >&2; exit 1; }
	build "$1"
	cp "$scratch/saved" "$file"
}

compile() {
	"${CC:-cc}" -O2 -std=gnu11 -D_GNU_SOURCE -I"$top/include" \
		-I"$top/providers" -I"$top/libibverbs" -o "$scratch/$1" \
		"$here/$1.c" "${@:2}" "$here"/wire_{rig,verbs}.c \
		-L"$scratch/with" -libverbs -lpthread
}

goodput() {
	"$build/goodput_sim" 2>&1 | awk -v row="$*" '
		!n && $1 " " $2 " " $3 == row { print $4; n = 1 }'
}

net_sim() {
	"$build/net_sim" "${@:2}" | awk -v column="$1" -v row="$2" '
		$1 == row { print $column }'
}

one_host() {
	LOCAL_ONLY=$1 "${class[@]}" timeout 60 "$scratch/local_bench" 0 1 | cut -f 3
}

one_core() {
	LOCAL_ONLY=$1 UROCE_LOCAL=none "${class[@]}" timeout 60 \
		taskset -c "$first_core" "$scratch/local_bench" 0 1 | cut -f 3
}

wire() {
	WIRE_ONLY=$1 UROCE_LOCAL=none "${class[@]}" timeout 60 "$scratch/wire_bench" \
		base lo 127.0.0.1 lo 127.0.0.1 '' 1 | awk -v name="$1" '$1 == name { print $3 }'
}

# perftest COLUMN HOW PROGRAM... - HOW: "slow" is for a program that spins while
# the helper thread works, so the two must not have one core in that class.
perftest() {
	local column=$1 how=$2 server port=$((18000 + RANDOM % 1000))
	local -a setting=(UROCE_LOCAL=none) first=() last=()

	shift 2
	[ "$how" != rndv ] || setting=(UROCE_RNDV=always)
	if [ "$how" != slow ]; then
		first=("${class[@]}" taskset -c "$first_core")
		last=("${class[@]}" taskset -c "$last_core")
	fi
	set -- "$@" -F -d uroce_lo -x 1 -p $port
	env "${setting[@]}" timeout 30 "${last[@]}" "$@" >"$scratch/server" 2>&1 &
	server=$!
	sleep 0.6
	env "${setting[@]}" timeout 30 "${first[@]}" "$@" 127.0.0.1 2>&1 |
		awk -v column="$column" '
			$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ { value = $column }
			END { print value }'
	wait $server || true
}

# run BUILD BENCHMARK ARGUMENTS - appends a value to the file of the build
run() {
	local build=$scratch/$1
	local -a arguments

	read -ra arguments <<<"$3"
	LD_LIBRARY_PATH=$build:$build/libibverbs "$2" "${arguments[@]}" \
		>>"$build/values"
}

# values BUILD - median and quartiles
values() {
	sort -g "$scratch/$1/values" | awk -v OFS='\t' '{ v[NR] = $1 }
		function at(share) { return v[int((NR - 1) * share + 1.5)] }
		END { print at(0.5), at(0.25) " to " at(0.75) }'
}

measure() {
	local name=$1 benchmark=$4 nr=$rounds

	build_without "$1" "$2" "$3"
	case $benchmark in
	goodput | net_sim) nr=1 ;; # the same in each run
	esac
	rm -f "$scratch/with/values"
	for ((round = 0; round < nr; round++)); do
		run with "$benchmark" "$5"
		run "$name" "$benchmark" "$5"
	done
	printf '%s\t%s\t%s\t%s %s\n' "$name" "$(values "$name")" \
		"$(values with)" "$benchmark" "$5"
	rm -rf "${scratch:?}/$name"
}

cores=$(taskset -cp $$ | sed 's/.*: //')
first_core=${cores%%[-,]*}
last_core=${cores##*[-,]}
export UROCE_DEVICES=lo
mkdir "$scratch/src"
git -C "$top" ls-files -z | tar -C "$top" --null -T - -c | tar -C "$scratch/src" -x
cmake -S "$scratch/src" -B "$scratch/build" -G Ninja >"$scratch/log"
build with
compile local_bench "$here"/local_{mapped,raw,verbs}.c
compile wire_bench "$here"/wire_{udp,tcp}.c "$top"/providers/uroce/wire/uroce_crc32*.c
printf 'constant\twithout\tquartiles\twith\tquartiles\tbenchmark\n'
table | while IFS='|' read -r name file expression benchmark arguments; do
	case " $* " in
	"  " | *" $name "*)
		measure "$name" "$file" "$expression" "$benchmark" "$arguments" </dev/null
		;;
	esac
done
