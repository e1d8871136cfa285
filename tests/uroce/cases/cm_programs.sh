#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# More programs that connect through rdma_cm, with the librdmacm of this tree:
# storage and benchmark programs, whose data is compared where the program or its
# memory allows that.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"
. "$here/../world/rdma_cm.sh"

# -- fio --

fio_depth=4
fio_block=65536
# With --thread, no process of fio stays when it is killed.
fio_options=(--ioengine=rdma "--bs=$fio_block" --size=8m --thread)

# fio_memory END CHARACTER - makes the file that is the memory of all buffers of an
# end, full of one character. fio removes the name that it gets.
fio_memory() {
	local file=$scratch/$1

	# shellcheck disable=SC2016 # the inner shell expands these
	"$with" lo sh -c 'head -c "$1" /dev/zero | tr "\0" "$2" >"$3.data" &&
		ln -f "$3.data" "$3.memory"' sh \
		$((2 * fio_depth * fio_block)) "$2" "$file"
}

# fio_memory_has END CHARACTER - all buffers of an end are full of the character.
fio_memory_has() {
	local bytes

	bytes=$(tr -dc "$2" <"$scratch/$1.data" | wc -c)
	echo "$bytes bytes of $2"
	[ "$bytes" -eq $((fio_depth * fio_block)) ]
}

# test_fio_memory VERB - the buffers of the server are full of "s" before, and
# those of the client of "c". The client fills its buffers with "C", which WRITE
# sends, and into which READ reads.
test_fio_memory() {
	local title="fio $1"

	fio_memory server s && fio_memory client c || return
	connects 'issued rwts: total=0,128,0,0 ' fio --name=server \
		"${fio_options[@]}" --iodepth=$fio_depth --port=@port --rw=read \
		"--mem=mmapshared:$scratch/server.memory" -- \
		--name=client "${fio_options[@]}" --iodepth=$fio_depth \
		--port=@port --hostname=@address --rw=write "--verb=$1" \
		--buffer_pattern=0x43 "--mem=mmapshared:$scratch/client.memory"
}

# fio verifies no data. The files show it after the end of both programs.
test_fio() {
	local row=fio

	test_fio_memory write
	check "fio write: the server has the client's data" \
		fio_memory_has server C
	test_fio_memory read
	check "fio read: the client has the server's data" \
		fio_memory_has client s
	test_fio_send
}

# test_fio_send - fio's queue pairs have an RNR retry count of 0, so a message without
# a receive request ends the connection, and fio's client then waits for ever. The
# server has 8 requests, and the client pauses after each message. The first message
# is large, so that filling it takes longer than the start of the server.
test_fio_send() {
	local title="fio send" fio_depth=8 fio_block=4194304
	local pair_known_fault='RNR retry counter exceeded'
	local -a options=(--ioengine=rdma "--bs=$fio_block" --size=64m --thread)

	fio_memory server s || return
	connects 'issued rwts: total=0,16,0,0 ' fio --name=server \
		"${options[@]}" --iodepth=$fio_depth --port=@port --rw=read \
		"--mem=mmapshared:$scratch/server.memory" -- \
		--name=client "${options[@]}" --iodepth=1 --port=@port \
		--hostname=@address --rw=write --verb=send \
		--buffer_pattern=0x43 --refill_buffers --thinktime=10000
	check "fio send: the server has the client's data" \
		fio_memory_has server C
}

# -- qperf --

# The tests of qperf for RC; rc_lat is one of the case cm.
test_qperf_programs() {
	test_qperf_cm rc_bw rc_bi_bw rc_rdma_read_lat rc_rdma_read_bw \
		rc_rdma_write_lat rc_rdma_write_bw rc_rdma_write_poll_lat \
		rc_compare_swap_mr rc_fetch_add_mr ver_rc_compare_swap \
		ver_rc_fetch_add
}

# -- perftest --

# Each program for RC, with the options that select other paths; raw Ethernet has
# no connections.
test_perftest_programs() {
	test_perftest_cm ib_send_bw -n 500 -s 65536 -b
	test_perftest_cm ib_send_bw -n 200 -s 64 -q 4
	test_perftest_cm ib_send_bw -n 200 -s 64 -e
	test_perftest_cm ib_send_bw -n 200 -s 64 --use-srq
	test_perftest_cm ib_send_bw -n 500 -s 1000 -c UD
	test_perftest_cm ib_send_lat -n 200 -s 64
	test_perftest_cm ib_write_bw -n 500 -s 65536
	test_perftest_cm ib_write_bw -n 200 -s 64 -q 4
	test_perftest_cm ib_write_bw -n 500 -s 65536 -b
	test_perftest_cm ib_write_lat -n 100 -s 200
	test_perftest_cm ib_read_bw -n 500 -s 65536 -o 1
	test_perftest_cm ib_read_lat -n 200 -s 64
	test_perftest_cm ib_read_lat -n 100 -e
	test_perftest_cm ib_atomic_bw -n 200 -A CMP_AND_SWAP
	test_perftest_cm ib_atomic_bw -n 200 -A FETCH_AND_ADD -b
	test_perftest_cm ib_atomic_lat -n 200 -A CMP_AND_SWAP
	test_perftest_cm ib_atomic_lat -n 200 -A FETCH_AND_ADD
}

# -- rdma_xserver --

# With an SRQ of the server; the client sends 16 bytes inline without a requested
# capacity. With XRC the server is a target, and the private data of its REP contain
# the number of its SRQ.
test_xserver() {
	local client=rdma_xclient title type port_space

	for type in r x; do
		port_space=106
		[ "$type" = r ] || port_space=13f # RDMA_PS_IB
		title="rdma_xclient -c $type"
		connects 'rdma_xclient: end 0' rdma_xserver -p @port -c "$type" \
			-- -s @address -p @port -c "$type"
	done
}

# -- UCX --

# test_io_demo TRANSPORT OPTION... - io_demo of UCX's package uses UCX's listeners and
# client connections, which rdmacm carries; its server never ends. Both ends check
# the data of all messages. UCX needs the folder /dev/infiniband (README.md), which
# with_nodes makes in a user namespace, where the uid 65534 is no proof of a user
# and the device refuses to listen.
test_io_demo() {
	local -a starter=("$tools/with_nodes" rdma_cm)
	local pair_endless=yes
	local title="io_demo ${*:2} over rdmacm and $1"
	local -x UCX_SOCKADDR_TLS_PRIORITY=rdmacm UCX_TLS=$1 UROCE_UID=1000
	local -x UCX_IB_GID_INDEX=$gid

	connects "Client exit with status 'OK'" io_demo -p @port -q "${@:2}" -- \
		-p @port -q -i 200 "${@:2}" @address
}

test_ucx() {
	test_io_demo rc_v -d 1:2000
	test_io_demo rc_v -d 100000:1000000
	test_io_demo rc_v -A -d 1:300000
	test_io_demo ud_v -d 1:100000
}

# -- librpma --

test_rpma() {
	local title=librpma

	connects '^compared: 1048576 bytes' "$tools/rpma_check" \
		server @address @port -- client @address @port
}

# -- iSER --

iser_folder=$scratch/iser
iser_disk=$iser_folder/disk
iser_target=iqn.2026-01.example.uroce:disk
iser_initiator=iqn.2026-01.example.uroce:initiator

iser_admin() {
	"$with" "${pairing%:*}" tgtadm --lld iser --mode "$1" --op "$2" \
		--tid 1 "${@:3}"
}

# iser_start - starts tgtd, which listens for iSER on its default port; its own
# socket for tgtadm has a name in the file system. Sets $iser_pid.
iser_start() {
	local -x UROCE_COMMAND_TIMEOUT=300

	rm -rf "$iser_folder"
	"$with" lo mkdir "$iser_folder"
	"$with" lo truncate -s 16M "$iser_disk"
	"$with" "${pairing%:*}" tgtd -f --iscsi "portal=$address:3261" \
		>"$iser_folder.log" 2>&1 &
	iser_pid=$!
	wait_for 60 iser_admin sys show && wait_for 60 cm_server_listens 3260
}

# tgtd accepts only initiators whose name it has.
iser_export_disk() {
	iser_admin target new --targetname "$iser_target" &&
		iser_admin logicalunit new --lun 1 --backing-store "$iser_disk" &&
		iser_admin target bind --initiator-address ALL &&
		iser_admin target bind --initiator-name "$iser_initiator"
}

iser_client() {
	"$with" "${pairing#*:}" "$1" --initiator-name="$iser_initiator" "${@:2}" \
		"iser://$address:3260/$iser_target/1"
}

# iser_write_and_read BLOCKS BYTES - writes blocks, each with a pattern of its own,
# and reads them back. The transfers of one command have at most 256 KB with
# libiscsi 1.19, which crashes with longer ones.
iser_write_and_read() {
	local i
	local -a commands=()

	for ((i = 1; i <= $1; i++)); do
		commands+=(-c "write -P $i $((i * $2)) $2")
	done
	for ((i = 1; i <= $1; i++)); do
		commands+=(-c "read -P $i $((i * $2)) $2")
	done
	"$with" "${pairing#*:}" qemu-io "${commands[@]}" "json:{
		\"driver\": \"raw\", \"file\": {
			\"driver\": \"iscsi\", \"transport\": \"iser\",
			\"portal\": \"$address:3260\", \"lun\": 1,
			\"target\": \"$iser_target\",
			\"initiator-name\": \"$iser_initiator\" } }" &&
		for ((i = 1; i <= $1; i++)); do
			cmp -n "$2" -i "$((i * $2)):0" "$iser_disk" \
				<(head -c "$2" /dev/zero | tr '\0' "\\$(printf %o "$i")") ||
				return
		done
}

test_iser() {
	local row=tgtd column=$path
	local -x TGT_IPC_SOCKET=$iser_folder/socket

	if ! check "tgtd listens for iSER" iser_start ||
		! check "tgtd exports a disk" iser_export_disk; then
		cat "$iser_folder.log"
		stop "$iser_pid"
		return
	fi
	says "iscsi-inq over iSER" 'DIRECT_ACCESS' iser_client iscsi-inq
	says "iscsi-readcapacity16 over iSER" 'Total size:16777216' \
		iser_client iscsi-readcapacity16
	says "iscsi-perf over iSER" 'iops average [1-9]' \
		iser_client iscsi-perf -t 1
	check "qemu-io over iSER, 4 KB" iser_write_and_read 40 4096
	check "qemu-io over iSER, 256 KB" iser_write_and_read 40 262144
	stop "$iser_pid"
}

on_lo 4
test_fio
test_qperf_programs
test_perftest_programs
test_xserver
test_ucx
test_iser
test_rpma
# Two namespaces share no memory.
if [ "$UROCE_LOCAL" = none ]; then
	on_veth 1500 4
	test_fio
	test_qperf_programs
	test_perftest_programs
	test_xserver
	test_ucx
	test_iser
	test_rpma
fi
finish
