#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Unchanged programs of TCP with the librspreload.so of this tree: curl with the
# HTTP server of Python and with nginx, redis, memcached, iperf3, and qperf, whose
# server forks; and programs whose peer has no rsockets.

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

# test_killed RESULT - a process that is killed sends nothing. On the same host its
# peer receives the end at once; on another one, keepalive messages of the peer
# have no response.
test_killed() {
	local row=python3

	pair_port=$((pair_port + 1))
	pair_test "killed peer, $1" server_says_listening \
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
    result = 'data' if c.recv(1) else 'end'
except OSError:
    result = 'error'
print(result)
raise SystemExit(result != '$1')" -- \
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

nginx_says_started() {
	grep -qs 'using the "epoll" event method' "$scratch/pair.server.out"
}

# nginx_configure MASTER_PROCESS - writes $files/nginx.conf. A worker has only the
# variables of the environment that the file names, but makes the rsockets.
nginx_configure() {
	cat >"$files/nginx.conf" <<-END
		daemon off;
		master_process $1;
		worker_processes 2;
		env UROCE_DEVICES;
		env UROCE_LOCAL;
		pid nginx.pid;
		error_log stderr notice;
		events { use epoll; }
		http {
			access_log off;
			sendfile on;
			client_body_temp_path nginx;
			proxy_temp_path nginx;
			fastcgi_temp_path nginx;
			uwsgi_temp_path nginx;
			scgi_temp_path nginx;
			server {
				listen $address:$pair_port;
				root .;
			}
		}
	END
}

# test_nginx NAME ENVIRONMENT MASTER_PROCESS - gets a file by two connections, and
# compares it. An rsocket cannot be used by the workers that the master makes with
# fork(), so it needs RDMAV_FORK_SAFE, with which they make the rsockets.
test_nginx() {
	local name=$1 row=nginx
	local -n at_both=$2

	pair_port=$((pair_port + 1))
	pair_endless=yes
	nginx_configure "$3"
	pair_test "$name" nginx_says_started "$pairing" '^same' \
		"${at_both[@]}" nginx -p "$files" -c nginx.conf -e stderr -- \
		"${at_both[@]}" bash -c "curl -sS --fail --parallel \
			-o $files/received http://$address:$pair_port/data \
			-o $files/received2 http://$address:$pair_port/data &&
			cmp $files/data $files/received &&
			cmp $files/data $files/received2 && echo same"
	pair_endless=
}

redis_says_ready() {
	grep -qs 'Ready to accept connections' "$scratch/pair.server.out"
}

# test_redis - compares a large value, also while a child of fork() saves it.
test_redis() {
	local row=redis

	pair_port=$((pair_port + 1))
	pair_endless=yes
	pair_test 'redis-server' redis_says_ready "$pairing" '^same' \
		"${preload[@]}" redis-server --bind "$address" \
		--port "$pair_port" --protected-mode no --save '' \
		--dir "$files" --dbfilename "$pair_port" -- \
		"${preload[@]}" bash -c "call() {
			redis-cli -h $address -p $pair_port \"\$@\"
		}
		call -x set data <$files/data && call bgsave &&
		call --raw get data | head -c -1 | cmp - $files/data &&
		redis-benchmark -h $address -p $pair_port -n 2000 -c 8 \
			-t set,get -q && echo same"
	pair_endless=
}

# test_memcached - the threads of the server use connections that another one has
# accepted.
test_memcached() {
	local row=memcached

	pair_port=$((pair_port + 1))
	pair_endless=yes
	pair_test 'memcached' server_says_listening "$pairing" '^same' \
		"${preload[@]}" memcached -vv -l "$address" -p "$pair_port" \
		-U 0 -t 4 -- \
		"${preload[@]}" python3 -c "import os, socket
def is_same(size):
    data = os.urandom(size)
    with socket.create_connection(('$address', $pair_port)) as connection:
        connection.sendall(b'set k 0 0 %d\r\n%b\r\nget k\r\n' % (size, data))
        want = b'STORED\r\nVALUE k 0 %d\r\n%b\r\nEND\r\n' % (size, data)
        received = b''
        while len(received) < len(want) and (part := connection.recv(65536)):
            received += part
    return received == want
print('same' if all(map(is_same, (0, 1, 1000, 100000, 1000000))) else 'different')"
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
	test_nginx 'nginx without workers' preload off
	test_nginx 'nginx with workers' preload_fork on
	test_redis
	test_memcached
}

# shellcheck disable=SC2034 # test_http gets the name
ordinary=(env)
files=/run/lane/home/http
mkdir -p "$files" "$files/nginx"
chmod 1777 "$files" "$files/nginx"
head -c 3000000 /dev/urandom >"$files/data"

on_lo 4
test_programs
test_killed end
# Two namespaces share no memory.
if [ "$UROCE_LOCAL" = none ]; then
	on_veth 1500 4
	test_programs
	test_killed error
fi
finish
