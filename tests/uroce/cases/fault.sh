#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The layer fault and UROCE_WIRE_FAULTS with unmodified programs. Faults that a
# program can survive leave its result as it is; with the others, the program
# ends with an error, in time. Programs measure the rate and the delay of links.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
nodes=("$tools/with_nodes" "")

# Time limit of a client, which takes a second or two.
limit=30

# The environment of the client, which has faults, and of the server.
faults=()
server_faults=()
layer() {
	faults=(VERBS_LAYERS=fault "VERBS_FAULT=$1")
	server_faults=()
}
wire() {
	faults=("UROCE_WIRE_FAULTS=seed=7; $1")
	server_faults=()
}
both_wires() {
	wire "$1"
	server_faults=("${faults[@]}")
}

# run_faulty COMMAND... - returns the exit code; 124 is the time limit.
run_faulty() {
	local rc=0

	"$with" lo env "${faults[@]}" timeout "$limit" "$@" \
		>"$scratch/client" 2>&1 || rc=$?
	cat "$scratch/client"
	echo "exit code $rc"
	return "$rc"
}

# run_pair COMMAND... - a server, and a client with faults, whose command has
# the server's address at the end. A server that its client has left may wait
# for ever, as that of ib_send_bw does, so it is killed then.
run_pair() {
	local launcher rc=0

	"$with" lo env "${server_faults[@]}" "${@:1:$#-1}" \
		>"$scratch/server" 2>&1 &
	launcher=$!
	wait_for 60 place_listens "$pair_port"
	run_faulty "$@" || rc=$?
	[ "$rc" -eq 0 ] || pkill -KILL -P "$launcher"
	wait "$launcher" || [ "$rc" -ne 0 ] || rc=1
	return "$rc"
} 2>/dev/null # the shell reports a kill

# The lines of faults of the last client; there must be one.
acted() {
	grep -E 'verbs-fault: rule [0-9]+, |uroce-wire: rule [0-9]+ acts' \
		"$scratch/client"
}

# survives COMMAND... - the program has faults, and no error.
survives() {
	"$@" && acted
}

# fails PATTERN COMMAND... - the program ends with an error that it reports.
fails() {
	local pattern=$1 rc=0

	shift
	"$@" || rc=$?
	acted && [ "$rc" -ne 0 ] && [ "$rc" -ne 124 ] &&
		grep -Eq -- "$pattern" "$scratch/client"
}

# replays RULES COMMAND... - has the same faults as the run before.
replays() {
	local rules=$1

	shift
	layer "seed=1; $rules"
	survives "$@" >"$scratch/first" || return 1
	chmod 644 "$scratch/first"
	layer "seed=2; replay=$scratch/first; $rules"
	survives "$@" >"$scratch/next" &&
		diff <(grep verbs-fault "$scratch/first" | sort) \
			<(grep verbs-fault "$scratch/next" | sort)
}

perftest() {
	pair_port=$((pair_port + 1))
	run_pair "$1" -F -x "$gid" -n 500 -p "$pair_port" "${@:2}" "$address"
}

# measures COLUMN MIN MAX COMMAND... - the number in this column of the table of
# perftest, behind the size, is between both.
measures() {
	local column=$1 min=$2 max=$3

	shift 3
	survives "$@" &&
		awk -v column="$column" -v min="$min" -v max="$max" '
			/^ *#bytes/ { table = 1; next }
			table && $1 ~ /^[0-9]+$/ { value = $column }
			END { exit !(value >= min && value <= max) }
		' "$scratch/client"
}

ucx() {
	pair_port=$((pair_port + 1))
	UCX_TLS=$1 UCX_IB_GID_INDEX=$gid UCX_NET_DEVICES=$device:1 run_pair \
		"${nodes[@]}" ucx_perftest -p "$pair_port" -n 500 -w 20 \
		"${@:2}" "$address"
}

# mpi TRANSPORT PROGRAM - all processes have the faults.
mpi() {
	UCX_TLS=$1,self UCX_IB_GID_INDEX=$gid run_faulty "${nodes[@]}" \
		mpirun --oversubscribe -np 2 --mca pml ucx \
		--mca btl '^openib,ofi' "$2"
}

libfabric() {
	pair_port=$((pair_port + 1))
	"$with" lo fi_pingpong -p 'verbs;ofi_rxd' -e rdm -d "$device-dgram" \
		-I 50 -S 4096 -B "$pair_port" >"$scratch/server" 2>&1 &
	wait_for 60 place_listens "$pair_port"
	run_faulty fi_pingpong -p 'verbs;ofi_rxd' -e rdm -d "$device-dgram" \
		-I 50 -S 4096 -P "$pair_port" "$address"
}

on_lo 4
column=$path
polls='short=1 @ call=poll_cq,p=50%; shuffle @ cq=any;
	delay=10us..1ms @ call=poll_cq,p=1%'
network='drop @ p=1%; dup @ p=1%; corrupt @ p=1%; reorder=3 @ p=1%;
	delay=10us..1ms @ p=1%'

row=perftest
layer "$polls"
check "ib_write_bw, polls" survives perftest ib_write_bw
wire "$network"
check "ib_send_bw, bad network" survives perftest ib_send_bw
wire 'drop @ after=100ms,before=300ms'
check "ib_read_bw, link down for 0.2 s" survives perftest ib_read_bw -D 1
layer 'wc=RETRY_EXC_ERR @ op=RDMA_WRITE,nth=100'
check "ib_write_bw, completion error" fails \
	'Failed status 12|Completion with error' perftest ib_write_bw
layer 'errno=ENOMEM @ call=post_send,nth=50'
check "ib_send_bw, post fails" fails "Couldn't post send" perftest ib_send_bw
layer 'event=QP_FATAL @ call=post_send,nth=50'
check "ib_read_bw, QP fatal" fails 'Failed status|Completion with error' \
	perftest ib_read_bw
layer 'event=DEVICE_FATAL @ call=post_send,nth=50'
check "ib_write_bw, device removed" fails "Couldn't post|Failed status" \
	perftest ib_write_bw
layer 'errno=ENOMEM @ call=reg_mr'
check "ib_write_bw, region refused" fails 'Failed to create MR' \
	perftest ib_write_bw
check "ib_send_bw, replay" replays 'delay=10us..1ms @ call=post_send,p=5%' \
	perftest ib_send_bw

# Gbit/s of payload, and microseconds: of a round trip, or of half of it.
row=links
wire 'link=100mbit+2ms @ to=127.0.0.0/8'
check "ib_write_bw, 100 Mbit/s, RTT 2 ms" measures 4 0.07 0.1 \
	perftest ib_write_bw -s 65536 --report_gbits
both_wires 'link=100mbit+2ms'
check "ib_write_bw, 100 Mbit/s, RTT 4 ms" measures 4 0.07 0.1 \
	perftest ib_write_bw -s 65536 --report_gbits
check "ib_read_lat, RTT 4 ms" measures 5 4000 20000 perftest ib_read_lat
check "ib_send_lat, RTT 4 ms" measures 5 2000 10000 perftest ib_send_lat
cat >"$scratch/rules" <<'EOF'
# of both ends
drop @ p=0.1%; drop @ after=500ms,before=600ms

link=200mbit+1ms @ from=127.0.0.1,to=127.0.0.1 # the link
EOF
chmod 644 "$scratch/rules"
both_wires "@$scratch/rules"
check "ib_write_bw, rules of a file" measures 4 0.05 0.2 \
	perftest ib_write_bw -s 65536 -n 1000 --report_gbits

row=ucx_perftest
layer "$polls"
check "tag_bw over rc_v, polls" survives ucx rc_v -t tag_bw -s 20000
wire "$network"
check "tag_bw over rc_v, bad network" survives ucx rc_v -t tag_bw -s 20000
check "tag_lat over ud_v, bad network" survives ucx ud_v -t tag_lat -s 64
layer 'wc=RETRY_EXC_ERR @ qp=any,nth=100'
check "tag_bw over rc_v, completion error" fails 'transport retry counter exceeded' \
	ucx rc_v -t tag_bw -s 20000
layer 'errno=ENOMEM @ call=create_qp'
check "tag_bw over rc_v, QP refused" fails 'no usable transports' \
	ucx rc_v -t tag_bw -s 64

row=mpi
layer "$polls"
check "sums over rc_v, polls" survives mpi rc_v "$tools/mpi_sum"
wire "$network"
check "sums over ud_v, bad network" survives mpi ud_v "$tools/mpi_sum"
layer 'wc=REM_OP_ERR @ qp=any,nth=20'
check "sums over rc_v, completion error" fails 'remote operation error' \
	mpi rc_v "$tools/mpi_sum"

row=fi_pingpong
layer "$polls"
check "rxd, polls" survives libfabric
wire "$network"
check "rxd, bad network" survives libfabric
layer 'errno=ENOMEM @ call=create_cq'
check "rxd, CQ refused" fails 'fi_getinfo' libfabric
finish
