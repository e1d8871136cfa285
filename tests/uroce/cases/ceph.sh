#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Ceph with its RDMA messenger (async+rdma), on loopback: a monitor and an OSD
# that keeps objects in memory, both without privilege. Objects are written,
# read back and compared, also by rados bench.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"
. "$here/../world/counters.sh"

folder=$scratch/ceph
conf=$folder/ceph.conf
cluster=8d6f3d5e-1d3b-4f1c-9b1c-5a3f6c0e7b21
osd=0c1f4c0a-64e5-4f0b-9a37-2b8e3d9c4f10
monitor='[v2:127.0.0.1:3300/0]'
daemon_limit=900

# The receive and send buffers of a process are few, because three processes
# share the memory of a small machine. The daemons end in good order, so that
# they close the device.
write_conf() {
	cat >"$conf" <<END
[global]
fsid = $cluster
mon host = $monitor
mon initial members = a
auth cluster required = none
auth service required = none
auth client required = none
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms type = async+rdma
ms async rdma device name = $device
ms async rdma local gid = 0000:0000:0000:0000:0000:ffff:7f00:0001
ms async rdma receive queue len = 512
ms async rdma receive buffers = 1024
ms async rdma send buffers = 256
ms bind msgr1 = false
mon data = $folder/mon
mon allow pool size one = true
mon data avail crit = 1
mon data avail warn = 1
mon cluster log file = $folder/cluster.log
osd data = $folder/osd
osd objectstore = memstore
osd fast shutdown = false
osd pool default size = 1
osd pool default min size = 1
osd crush chooseleaf type = 0
memstore device bytes = 1073741824
keyring = $folder/keyring
run dir = $folder
crash dir = $folder
pid file = $folder/\$name.pid
log file = $folder/\$name.log
admin socket = $folder/\$name.asok
END
}

# run PROGRAM OPTION... - runs one of Ceph's programs.
run() {
	local program=$1

	shift
	"$with" lo "$program" -c "$conf" "$@"
}

# start NAME PROGRAM OPTION... - starts a daemon and sets $started to its pid.
start() {
	local -x UROCE_COMMAND_TIMEOUT=$daemon_limit

	run "${@:2}" -f >"$folder/$1.out" 2>&1 &
	started=$!
}

# finishes NAME PID - ends a daemon; it must end with success.
finishes() {
	kill "$(cat "$folder/$1.pid")" && wait "$2"
}

make_monitor() {
	"$with" lo mkdir "$folder/mon" "$folder/osd" &&
		"$with" lo monmaptool --create --fsid "$cluster" \
			--addv a "$monitor" "$folder/monmap" &&
		run ceph-mon --mkfs -i a --monmap "$folder/monmap"
}

make_osd() {
	run ceph --connect-timeout 120 osd new "$osd" 0 &&
		run ceph-osd -i 0 --mkfs --osd-uuid "$osd"
}

osd_is_up() {
	run ceph --connect-timeout 60 osd stat 2>/dev/null |
		grep -q '1 osds: 1 up'
}

# compare_object BYTES
compare_object() {
	local data=$folder/data.$1 back=$folder/back.$1

	head -c "$1" /dev/urandom >"$data" && chmod 644 "$data" &&
		run rados -p data put "object.$1" "$data" &&
		run rados -p data get "object.$1" "$back" &&
		cmp "$data" "$back"
}

show_logs() {
	local name

	for name in mon.a osd.0; do
		echo "$name:"
		grep -v '^ *[]"{}[]' "$folder/$name.log" | tail -n 15
	done
}

mkdir "$folder" && chmod 1777 "$folder" || exit
on_lo 4
row=Ceph
column=$path
write_conf
fresh_log
check "the store of a monitor" make_monitor
start mon ceph-mon -i a
mon_pid=$started
check "the store of an OSD" make_osd
start osd ceph-osd -i 0
osd_pid=$started
check "the OSD is up" wait_for 120 osd_is_up
check "a pool" run ceph --connect-timeout 60 osd pool create data 8
check "the transport" grep -q 'async+rdma' <(
	run ceph daemon mon.a config get ms_type 2>&1)
for bytes in 1 4096 1000000 20000000; do
	check "write, read and compare $bytes bytes" compare_object "$bytes"
done
says "rados bench, write" '^Total writes made: +[1-9]' \
	run rados -p data bench 3 write -b 16384 -t 4 --no-cleanup
says "rados bench, read and compare" '^Total reads made: +[1-9]' \
	run rados -p data bench 3 seq -t 4
check "the OSD ends" finishes osd.0 "$osd_pid"
check "the monitor ends" finishes mon.a "$mon_pid"
[ "$failed" -eq 0 ] || show_logs
check_carried "all programs" 80000000
check "no socket of the device is left" no_socket_left lo
finish
