#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Unchanged programs of TCP with the librspreload.so of this tree: curl with the
# HTTP server of Python, iperf3, and qperf, whose server forks; and programs
# whose peer has no rsockets.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

library=/run/lane/ours/rsocket/librspreload.so
preload=(env "LD_PRELOAD=$library")
# qperf's server forks, which both ends must know.
preload_fork=(env "LD_PRELOAD=$library" RDMAV_FORK_SAFE=1)

# The server prints a line when it listens.
server_says_listening() {
	grep -qsi 'listening\|serving' "$scratch/pair.server.out"
}

# test_http NAME SERVER_ENVIRONMENT CLIENT_ENVIRONMENT - gets a file, and compares
# it.
test_http() {
	local name=$1 row=curl
	local -n at_server=$2 at_client=$3

	pair_port=$((pair_port + 1))
	pair_endless=yes
	pair_test "$name" server_says_listening "$pairing" '^same' \
		"${at_server[@]}" python3 -u -m http.server -b "$address" \
		-d "$files" "$pair_port" -- \
		"${at_client[@]}" bash -c "curl -sS --fail \
			http://$address:$pair_port/data >$files/received &&
			cmp $files/data $files/received && echo same"
	pair_endless=
}

# A server with an rsocket has no TCP socket: curl fails with 7.
test_http_without_preload() {
	local row=curl

	pair_port=$((pair_port + 1))
	pair_endless=yes
	pair_test 'curl of TCP is refused' server_says_listening "$pairing" \
		'^status 7' "${preload[@]}" python3 -u -m http.server \
		-b "$address" "$pair_port" -- bash -c \
		"curl -sS http://$address:$pair_port/; echo status \$?"
	pair_endless=
}

# test_iperf3 OPTION...
test_iperf3() {
	local row=iperf3

	pair_port=$((pair_port + 1))
	pair_test "iperf3 $*" server_says_listening "$pairing" 'receiver$' \
		"${preload[@]}" iperf3 -4 -s -1 --forceflush -B "$address" \
		-p "$pair_port" -- "${preload[@]}" iperf3 -4 -c "$address" \
		-p "$pair_port" -t 1 "$@"
}

# test_qperf TEST...
test_qperf() {
	local row=qperf

	pair_port=$((pair_port + 1))
	pair_endless=yes
	pair_test "qperf $*" place_listens "$pairing" "^$1:" \
		"${preload_fork[@]}" qperf -lp "$pair_port" -- \
		"${preload_fork[@]}" qperf -lp "$pair_port" -t 1 "$address" \
		"$@"
	pair_endless=
}

# test_keepalive - a process that is killed sends nothing, but does not acknowledge
# the keepalive messages of its peer.
test_keepalive() {
	local row=python3

	pair_port=$((pair_port + 1))
	pair_test 'keepalive of a killed peer' server_says_listening \
		"$pairing" '^killed' \
		"${preload[@]}" python3 -u -c "import socket
s = socket.socket()
s.bind(('$address', $pair_port))
s.listen()
print('listening')
c = s.accept()[0]
c.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
c.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 1)
c.send(b'x')
try:
    c.recv(1)
except OSError:
    raise SystemExit(0)
raise SystemExit('no error')" -- \
		"${preload[@]}" bash -c "python3 -c \"import os, socket
c = socket.create_connection(('$address', $pair_port))
c.recv(1)
os.kill(os.getpid(), 9)\"; [ \$? -eq 137 ] && echo killed"
}

# test_asyncio - both ends of asyncio wait with epoll.
test_asyncio() {
	local row=python3

	pair_port=$((pair_port + 1))
	pair_endless=yes
	pair_test 'asyncio' server_says_listening "$pairing" '^same' \
		"${preload[@]}" python3 -u -c "import asyncio
async def echo(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()
async def main():
    server = await asyncio.start_server(echo, '$address', $pair_port)
    print('listening')
    await server.serve_forever()
asyncio.run(main())" -- \
		"${preload[@]}" python3 -u -c "import asyncio
async def talk(number):
    data = bytes([number]) * 1000000
    reader, writer = await asyncio.open_connection('$address', $pair_port)
    writer.write(data)
    writer.write_eof()
    received = await reader.read()
    writer.close()
    return received == data
async def main():
    return await asyncio.gather(*map(talk, range(8)))
print('same' if all(asyncio.run(main())) else 'different')"
	pair_endless=
}

test_programs() {
	test_http 'curl from http.server' preload preload
	test_http 'curl from a server of TCP' ordinary preload
	test_http_without_preload
	test_iperf3
	test_iperf3 -R -P 3
	test_iperf3 -Z
	test_qperf tcp_bw tcp_lat
	test_asyncio
	test_keepalive
}

# shellcheck disable=SC2034 # test_http gets the name
ordinary=(env)
files=/run/lane/home/http
mkdir -p "$files"
chmod 1777 "$files"
head -c 3000000 /dev/urandom >"$files/data"

on_lo 4
test_programs
# Two namespaces share no memory.
if [ "$UROCE_LOCAL" = none ]; then
	on_veth 1500 4
	test_programs
fi
finish
