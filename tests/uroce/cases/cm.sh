#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Programs that connect through rdma_cm, with the librdmacm of this tree, whose
# connection manager is in user space: RC connections and datagrams over
# loopback, shared memory and a network, 10,000 connections at the same time,
# multicast, and connections that are refused.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"
. "$here/../world/rdma_cm.sh"

# udp_listens PORT - a UDP socket has the port.
udp_listens() {
	local where=()

	[ "${pairing%:*}" = lo ] || where=(-N "${pairing%:*}")
	[ -n "$(ss "${where[@]}" -Hunl "sport = :$1")" ]
}

# test_fabric_cm ENDPOINT PROVIDER - its own TCP connection comes first.
test_fabric_cm() {
	local row=fi_pingpong

	pair_port=$((pair_port + 1))
	pair_test "fi_pingpong $2 $1" place_listens "$pairing" '^bytes' \
		fi_pingpong -p "$2" -e "$1" -I 50 -B "$pair_port" -- \
		fi_pingpong -p "$2" -e "$1" -I 50 -P "$pair_port" "$address"
}

# The port of udaddy is fixed. test_datagrams OPTION...
test_datagrams() {
	local before=$pair_port
	local port_space=111

	pair_port=7173
	connects 'return status 0' udaddy -b @address "$@" -- -s @address "$@"
	pair_port=$before
}

# At its end, rping closes a channel that another of its threads reads. The message may
# be in the middle of a line of the first thread.
rping_race='rdma_get_cm_event: Bad file descriptor'

# test_rping PATTERN SERVER_OPTION... -- CLIENT_OPTION...
test_rping() {
	local pattern=$1 pair_own_race=$rping_race

	shift
	connects "$pattern" rping "$@"
}

# test_rping_clients - a server with a thread for each connection never ends; two
# clients use it at the same time, and a third one afterwards. The server keeps one
# request until its thread takes it: the second client connects when the first one
# has received data. Until it ends, the first one waits for its full pipe.
test_rping_clients() {
	local row=rping

	pair_port=$((pair_port + 1))
	pair_endless=yes
	pair_test 'rping -P with three clients' cm_server_listens "$pairing" \
		'^received 300 messages' \
		rping -s -P -S 1000 -a "$address" -p "$pair_port" -- \
		bash -c "client() {
			rping -c -a $address -p $pair_port -C 100 -S 1000 -V -v
		}
		second() {
			read -r line; client; echo \"\$line\"; cat
		}
		messages=\$({ client | second; client; } |
			grep -a -o 'ping data' | wc -l)
		echo received \$messages messages"
	pair_endless=
}

# test_udpong OPTION... - the server never ends, and binds to IPv6 by default.
# Datagrams that do not fit in the MTU travel by UDP.
test_udpong() {
	local row=udpong

	pair_port=$((pair_port + 1))
	pair_endless=yes
	pair_test "udpong $*" udp_listens "$pairing" '^custom' \
		udpong -b "$address" -p "$pair_port" "$@" -- \
		udpong -s "$address" -p "$pair_port" -C 500 "$@"
	pair_endless=
}

# group_has_member PORT - a process at the server's end is in $group.
group_has_member() {
	local where=()

	[ "${pairing%:*}" = lo ] || where=(-n "${pairing%:*}")
	ip "${where[@]}" maddr show | grep -qw "inet6\? *$group"
}

# test_multicast GROUP ADDRESS_OF_RECEIVER ADDRESS_OF_SENDER
test_multicast() {
	local group=$1 row=mckey

	pair_test "mckey $1" group_has_member "$pairing" 'return status 0' \
		mckey -m "$1" -b "$2" -c 2 -C 5 -S 64 -- \
		mckey -m "$1" -b "$3" -s -c 2 -C 5 -S 64
	pair_test "mckey $1, send only" group_has_member "$pairing" \
		'return status 0' mckey -m "$1" -b "$2" -C 5 -- \
		mckey -m "$1" -b "$3" -s -o -C 5
}

# test_rcopy - copies a file of some megabytes; the server never ends. The files are
# in $scratch, where both ends can write.
test_rcopy() {
	local pair_endless=yes title=rcopy

	# shellcheck disable=SC2016 # the inner shell expands these
	"$with" lo sh -c 'head -c 3000001 /dev/urandom >"$1.source" &&
		rm -f "$1.copy"' sh "$scratch/rcopy"
	connects ' bytes in ' rcopy -p @port -- "$scratch/rcopy.source" \
		"@address:$scratch/rcopy.copy" -p @port
	check "the copy of rcopy is the same" \
		cmp "$scratch/rcopy.source" "$scratch/rcopy.copy"
}

# The options of programs that select other functions of rdma_cm
test_options() {
	test_rping '^ping data: rdma-ping-2' -s -a @address -p @port -C 3 \
		-S 65535 -V -v -d -- -c -I "$client_address" -a @address \
		-p @port -C 3 -S 65535 -V -v -d
	test_rping_clients
	connects 'return status 0' ucmatose -b @address -p @port -c 4 -t 8 -m \
		-a 16 -- -s @address -p @port -c 4 -t 8 -m -a 16
	test_datagrams -c 2 -C 5 -t 8
	connects '^custom' rstream -b @address -p @port -T r -k 5 -i 0 \
		-B 40000 -I 5 -C 5 -S 100000 -- -s @address -p @port -T r -k 5 \
		-i 0 -B 40000 -I 5 -C 5 -S 100000
	connects '^custom' riostream -b @address -p @port -T v -I 10 -C 5 \
		-S 65537 -- -s @address -p @port -T v -I 10 -C 5 -S 65537
	connects '^custom' riostream -b @address -p @port -T a -I 10 -C 5 \
		-S 777 -- -s @address -p @port -T a -I 10 -C 5 -S 777
}

# test_ipv6 ADDRESS
test_ipv6() {
	local address=$1 section="${section/IPv4/IPv6}" path="${path/IPv4/IPv6}"

	test_rping '' -s -a @address -p @port -C 5 -V -- \
		-c -a @address -p @port -C 5 -V
	connects 'return status 0' ucmatose -f ipv6 -b @address -p @port -C 5 \
		-- -f ipv6 -s @address -p @port -C 5
	connects '^custom' rstream -f ipv6 -b @address -p @port -I 5 -C 5 \
		-S 1000 -- -f ipv6 -s @address -p @port -I 5 -C 5 -S 1000
}

test_programs() {
	test_rping '' -s -a @address -p @port -C 5 -S 200 -V -- \
		-c -a @address -p @port -C 5 -S 200 -V
	test_rping '' -s -a @address -p @port -C 3 -q -- \
		-c -a @address -p @port -C 3 -q
	connects 'return status 0' ucmatose -b @address -p @port -c 2 -C 5 -S 64 \
		-- -s @address -p @port -c 2 -C 5 -S 64
	connects '^custom' rstream -b @address -p @port -I 20 -C 10 -S 1000 -- \
		-s @address -p @port -I 20 -C 10 -S 1000
	connects '^custom' rstream -b @address -p @port -T v -I 5 -C 5 \
		-S 100000 -- -s @address -p @port -T v -I 5 -C 5 -S 100000
	connects '^custom' rstream -b @address -p @port -T a -I 10 -C 7 -S 7777 \
		-- -s @address -p @port -T n -I 10 -C 7 -S 7777
	connects '^custom' riostream -b @address -p @port -I 10 -C 5 -S 65537 \
		-- -s @address -p @port -I 10 -C 5 -S 65537
	client=rdma_client
	connects 'rdma_client: end 0' rdma_server -p @port -- \
		-s @address -p @port
	client=
	test_rcopy
	test_datagrams -c 2 -C 5 -S 64
	test_udpong
	test_udpong -T b
	test_udpong -T a
	test_udpong -T n -S 64
	test_udpong -T e -S 1400
	test_perftest_cm ib_send_bw -n 500 -s 4096
	test_perftest_cm ib_send_lat -n 200 -e
	test_perftest_cm ib_send_lat -n 200 -c UD
	test_perftest_cm ib_write_lat -n 200 -s 8
	test_perftest_cm ib_read_bw -n 200 -s 65536
	test_perftest_cm ib_atomic_bw -n 200 -q 2
	pair_endless=yes
	# retransmission of a lost MAD takes more than 4000 ms
	connects '^disconnect *: *[0-3]\?[0-9]\{1,3\}\.' cmtime -b @address \
		-p @port -- -s @address -p @port -c 1000
	pair_endless=
}

no_connection_is_lost() {
	! grep 'error:' "$scratch"/pair.{client,server}.out
}

# All connections exist at the same time.
test_many_connections() {
	pair_endless=yes
	connects '^disconnect *:' cmtime -b @address -p @port -- \
		-s @address -p @port -c 10000
	pair_endless=
	check "none of 10000 connections is lost" no_connection_is_lost
	grep -h '^connect ' "$scratch/pair.client.out"
}

# A client without a server is rejected at once, with the reason of a service id
# without an owner (IBTA 12.6.7.2, 12.11.2).
test_no_server() {
	"$with" lo udaddy -s "$address" -c 1 >"$scratch/no_server.log" 2>&1
	check "udaddy without a server is rejected" \
		grep -q 'RDMA_CM_EVENT_UNREACHABLE, error: 1' \
		"$scratch/no_server.log"
	"$with" lo rping -c -a "$address" -p 9 -C 1 >"$scratch/no_server.log" 2>&1
	check "rping without a server is rejected" \
		grep -q 'RDMA_CM_EVENT_REJECTED, error 8' "$scratch/no_server.log"
}

# libfabric ignores the loopback interface.
test_libfabric() {
	test_fabric_cm msg verbs
	test_fabric_cm rdm 'verbs;ofi_rxm'
}

on_lo 4
client_address=$address
test_programs
test_options
test_ipv6 ::1
test_qperf_cm rc_lat
test_many_connections
test_multicast 239.1.2.3 "$address" "$address"
test_no_server
# Two namespaces share no memory.
if [ "$UROCE_LOCAL" = none ]; then
	on_veth 1500 4
	client_address=10.98.0.2
	test_programs
	test_options
	test_ipv6 fd98::1
	test_qperf_cm rc_lat
	test_many_connections
	test_multicast 239.1.2.3 "$address" 10.98.0.2
	test_multicast ff15::7 fd98::1 fd98::2
	test_libfabric
else
	on_veth 1500 4
	pairing=left:left
	path='memory IPv4'
	section="$path: "
	test_libfabric
fi
finish
