#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Valkey with its RDMA module, and its client programs with --rdma, built from
# Debian's source package. The server listens for TCP as well, so that what RDMA
# has written is read without it, and the other way round.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"
. "$here/../world/rdma_cm.sh"

run=/run/lane/programs/run
folder=$scratch/data
tcp_port=7000
cm_port=7100
row=Valkey

# server_start - starts a server, always at the same ports, and sets $server_pid.
server_start() {
	local -x UROCE_COMMAND_TIMEOUT=600

	"$with" "${pairing%:*}" "$run" valkey-server --bind "$address" \
		--port "$tcp_port" --protected-mode no --save '' --dir "$folder" \
		--loadmodule /run/lane/programs/usr/lib/valkey/valkey-rdma.so \
		--rdma-bind "$address" --rdma-port "$cm_port" \
		>"$scratch/server.log" 2>&1 &
	server_pid=$!
	wait_for 60 cm_server_listens "$cm_port"
}

# Without the connections of a killed client
server_restart() {
	stop "$server_pid"
	server_start
}

# by_rdma ARG... - runs valkey-cli at the client's place.
by_rdma() {
	"$with" "${pairing#*:}" "$run" valkey-cli --rdma -h "$address" \
		-p "$cm_port" "$@"
}

# by_tcp ARG... - runs valkey-cli at the server's place.
by_tcp() {
	"$with" "${pairing%:*}" "$run" valkey-cli -h "$address" \
		-p "$tcp_port" "$@"
}

# same_value FILE - the standard input is the file and the newline of valkey-cli.
same_value() {
	cmp - <(cat "$1" && echo)
}

# compare_value BYTES - a value that RDMA sets is read by RDMA and by TCP, and one
# that TCP sets is read by RDMA.
compare_value() {
	head -c "$1" /dev/urandom >"$folder/value"
	by_rdma -x set "by rdma" <"$folder/value" &&
		by_rdma get "by rdma" >"$folder/received" &&
		same_value "$folder/value" <"$folder/received" &&
		by_tcp get "by rdma" | same_value "$folder/value" &&
		by_tcp -x set "by tcp" <"$folder/value" &&
		by_rdma get "by tcp" | same_value "$folder/value"
}

# One reply of many values
compare_list() {
	by_tcp del list && by_tcp eval "for i = 1, 20000 do
		redis.call('rpush', 'list', 'value ' .. i) end" 0 &&
		by_rdma lrange list 0 -1 | cmp - <(seq -f 'value %.0f' 20000)
}

# benchmark OPTION... - runs valkey-benchmark, whose output is reduced to results.
benchmark() {
	"$with" "${pairing#*:}" "$run" valkey-benchmark --rdma -h "$address" \
		-p "$cm_port" -q "$@" | tr '\r' '\n' | grep -a 'per second'
}

# Many connections write keys 0 to 9999, each with its number as the value, with up
# to 64 commands of a connection in flight.
compare_pipeline() {
	by_tcp flushall && benchmark -n 10000 -c 20 -P 64 -r 10000 --sequential \
		set key:__rand_1st__ __rand_1st__ &&
		[ "$(by_tcp eval "local nr = 0
			for i = 0, 9999 do
				local number = string.format('%012d', i)
				local value = redis.call('get', 'key:' .. number)
				if value == number then nr = nr + 1 end
			end
			return nr" 0)" = 10000 ]
}

# server_has_clients OPERATOR NUMBER
server_has_clients() {
	local number

	number=$(by_tcp info clients | tr -d '\r' |
		sed -n 's/^connected_clients://p')
	test "$number" "$@"
}

# started PID - prints the pid of the program that "$with" runs as the process PID.
started() {
	pgrep -P "$1"
}

# client_start - starts a client with ten connections, and sets $client_pid.
client_start() {
	"$with" "${pairing#*:}" "$run" valkey-benchmark --rdma -h "$address" \
		-p "$cm_port" -n 1000000000 -c 10 -P 4 -t set \
		>"$scratch/client.log" 2>&1 &
	client_pid=$!
	wait_for 60 server_has_clients -ge 11
}

client_kill() {
	kill -9 "$(started "$client_pid")"
	wait "$client_pid"
}

# Valkey keeps the ten connections of a killed client, because it closes one only
# after DISCONNECTED, which a killed process does not send.
killed_client() {
	client_start && client_kill
	compare_value 10000
}

server_has_subscriber() {
	[ "$(by_tcp pubsub numsub channel | tail -n 1)" = 1 ]
}

# A server that ends disconnects a client that waits.
ending_server() {
	by_rdma subscribe channel >"$scratch/client.log" 2>&1 &
	client_pid=$!
	wait_for 60 server_has_subscriber || return
	kill "$(started "$server_pid")"
	wait "$server_pid"
	wait "$client_pid"
	grep 'Server closed the connection' "$scratch/client.log"
}

# The ports of a killed server are free.
killed_server() {
	client_start || return
	kill -9 "$(started "$server_pid")"
	wait "$server_pid"
	server_start || return
	client_kill
	compare_value 10000
}

test_valkey() {
	local bytes column=$path

	if ! check "the server listens" server_start; then
		cat "$scratch/server.log"
		return
	fi
	says PING '^PONG$' by_rdma ping
	for bytes in 1 100 65536 1048576 30000000; do
		check "SET and GET of $bytes bytes" compare_value $bytes
	done
	check "LRANGE of 20000 values" compare_list
	check "SET in pipelines of 20 connections" compare_pipeline
	says "valkey-benchmark" '^LRANGE_300' benchmark -n 20000 -P 16 \
		-t ping,set,get,incr,lpush,lrange_300,mset
	says "valkey-benchmark, 60000 bytes, two threads" '^GET:' \
		benchmark -n 3000 -c 10 -d 60000 --threads 2 -t set,get
	says "valkey-rdma-test" '^Valkey Over RDMA test \[OK\]' \
		"$with" "${pairing#*:}" "$run" valkey-rdma-test --thread 4 \
		-h "$address" -p "$cm_port" -m 500 -M 2000
	check "the server serves others after a client was killed" \
		killed_client
	check "another server listens" server_restart
	check "a server that ends disconnects a client" ending_server
	check "a third server listens" server_start
	check "a server follows a killed one" killed_server
	stop "$server_pid"
}

mkdir "$folder"
chmod 1777 "$folder"
on_lo 4
test_valkey
# Two namespaces share no memory.
if [ "$UROCE_LOCAL" = none ]; then
	on_veth 1500 4
	test_valkey
fi
finish
