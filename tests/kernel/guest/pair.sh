# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # lib.sh sets the variables
#
# Runs a server and a client of one program in the guest, each with its own
# library. Sourced after lib.sh by the cases that need two ends.

. "$guest/end_status.sh"

# The libraries of both ends, server and client.
# shellcheck disable=SC2034 # the cases use it
pairings=${LANE_PAIRINGS:-distro:distro ours:ours ours:distro distro:ours}
pair_port=20000

# tcp_listens PORT - on any address.
tcp_listens() {
	local hex

	hex=$(printf ':%04X ' "$1")
	grep -hi "^ *[0-9]*: [0-9A-F]*${hex}[^ ]* 0A " /proc/net/tcp \
		/proc/net/tcp6 >/dev/null
}

# cm_in_listen PID CALLS - by the system calls of its threads, the process is in the
# write() of rdma_listen().
# The memory at the second argument of write() begins with the command, 7 for
# LISTEN. A server that waits for an event is in a write() as well (GET_EVENT).
cm_in_listen() {
	local number address command

	while read -r number _ address _; do
		# 1 is the number of write() on x86-64.
		[ "$number" = 1 ] || continue
		command=$(dd if="/proc/$1/mem" iflag=skip_bytes bs=4 count=1 \
			skip=$((address)) 2>/dev/null | od -An -tu4)
		[ "${command:-0}" -ne 7 ] || return 0
	done <<<"$2"
	return 1
}

# pair_has_polled PID - the process has used some clock ticks of CPU time since the
# first call for it.
pair_polling_pid=
pair_polling_ticks=0
pair_has_polled() {
	local ticks

	ticks=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null |
		awk '{ print $12 + $13 }')
	if [ "$pair_polling_pid" != "$1" ]; then
		pair_polling_pid=$1
		pair_polling_ticks=${ticks:-0}
	fi
	[ $((${ticks:-0} - pair_polling_ticks)) -ge 20 ]
}

# cm_listens PORT - listens through the connection manager (rdma_cm). The kernel
# shows the state LISTEN before it registers the service, and it may sleep between
# the two. After that the server sleeps, or it polls for connections.
cm_listens() {
	local pid calls

	pid=$(rdma resource show cm_id 2>/dev/null |
		grep -m 1 "state LISTEN .*src-addr [^ ]*:$1 " |
		grep -o ' pid [0-9]*')
	pid=${pid##* }
	[ -n "$pid" ] || return 1
	# Read once: a thread that was running may sleep in the write() afterwards.
	calls=$(cat /proc/"$pid"/task/*/syscall 2>/dev/null)
	! cm_in_listen "$pid" "$calls" || return 1
	! grep -q '^running' <<<"$calls" || pair_has_polled "$pid"
}

# gsi_listens PORT_SPACE PORT [SS_OPTION...] - listens through the connection manager
# in user space: the name of the service id of the port exists. The port space is
# 106 for TCP, 111 for UDP and 13f for IB. rdma_bind_addr() makes the name; the
# server has returned from rdma_listen() when its first thread sleeps, or has polled
# for connections.
gsi_listens() {
	local name pid

	name=$(printf '%s%04x' "$1" "$2")
	pid=$(ss "${@:3}" -Hxalp | grep "@uroce\..*\.gsi\.s\..*\.$name " |
		grep -o 'pid=[0-9]*' | head -n 1)
	pid=${pid#pid=}
	[ -n "$pid" ] || return 1
	! grep -qs '^running' "/proc/$pid/task/$pid/syscall" ||
		pair_has_polled "$pid"
}

# The words before a program whose client waits at each rdma_connect() until its
# server has listened as often, and at each connection until it has accepted it.
server_first=(env LD_PRELOAD="$tools/preload_server_first.so"
	SERVER_STEPS="$scratch/pair.steps")
# The same for perftest: it exchanges parameters through a first connection, and the
# server listens again for those of all QPs. The client that connects before that
# continues with memory that it has freed.
# shellcheck disable=SC2034 # the cases use it
perftest_server_first=("${server_first[@]}" SERVER_LISTENS=2)

# perftest_begins OPTION... - sets $listens, for pair_run, and $starter, the words before
# both ends, for a program of perftest with these options.
# shellcheck disable=SC2034 # the cases use them
perftest_begins() {
	listens=tcp_listens
	starter=()
	if [[ " $* " = *" -R "* ]]; then
		listens=cm_listens
		starter=("${perftest_server_first[@]}")
	fi
}

# pair_run LISTENS SERVER_LIB CLIENT_LIB SERVER_COMMAND -- CLIENT_COMMAND
# LISTENS is a function that checks with $pair_port whether the server is ready.
# Writes $scratch/pair.{server,client}.{out,rc}. Returns 0 when both ends do.
# If pair_endless is set the server does not end on its own: this function ends it
# after the client, and it must still be running then.
pair_endless=
pair_run() {
	local listens=$1 server_lib=$2 client_lib=$3
	local server_pid rc patience=60 to=$scratch/pair
	local -a server=()

	shift 3
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	rm -f "$to".*
	: >"$to.steps"
	chmod a+w "$to.steps"
	"$with" "$server_lib" "${server[@]}" >"$to.server.out" 2>&1 &
	server_pid=$!
	# An emulated machine stands still while its host is busy; a server that
	# ends is detected at once.
	if ! wait_for 60 pair_ready "$listens" "$server_pid"; then
		echo "not started: the server does not listen" \
			>"$to.client.out"
	elif kill -0 "$server_pid" 2>/dev/null; then
		"$with" "$client_lib" "$@" >"$to.client.out" 2>&1
		rc=$(pair_end_status "$to.client.out" $?)
		echo "$rc" >"$to.client.rc"
		# The client has finished. The server ends soon after, or it
		# hangs, as it may without a client.
		[ "$rc" -eq 0 ] || patience=5
		[ -n "$pair_endless" ] ||
			wait_for "$patience" pair_is_gone "$server_pid" || true
	fi
	kill "$server_pid" 2>/dev/null
	wait "$server_pid" 2>/dev/null
	rc=$?
	# Ended by this function's SIGTERM, as the shell reports it.
	[ -z "$pair_endless" ] || [ "$rc" -ne 143 ] || rc=0
	pair_end_status "$to.server.out" "$rc" >"$to.server.rc"
	[ "$(cat "$to.server.rc" "$to.client.rc" 2>/dev/null | tr -d '\n')" = 00 ]
}

# pair_test NAME LISTENS PAIRING PATTERN SERVER_COMMAND -- CLIENT_COMMAND
# One test: both ends succeed and the client prints PATTERN, unless that is empty.
# No failed run is repeated, with one exception: pair_known_fault is the message of
# a fault that the kernel's driver or the network causes with every library. A run
# that ends with it is no result; it is reported, and the test runs once more.
pair_known_fault=
# A run takes one or two seconds, on a busy machine many more; a hang must not
# cost minutes.
pair_limit=120
pair_test() {
	local name=$1 listens=$2 pairing=$3 pattern=$4 column attempt
	local -x LANE_COMMAND_TIMEOUT=$pair_limit

	shift 4
	column=$(pairing_label "$pairing")
	for attempt in 1 2; do
		if pair_run "$listens" "${pairing%:*}" "${pairing#*:}" "$@" &&
			{ [ -z "$pattern" ] ||
				grep -q "$pattern" "$scratch/pair.client.out"; }; then
			pass "$name ($pairing)"
			return
		fi
		pair_result >"$scratch/result"
		if [ "$attempt" -eq 2 ] || [ -z "$pair_known_fault" ] ||
			! grep -Eq "$pair_known_fault" "$scratch/result"; then
			break
		fi
		echo "note $case_name: $prefix$section$name ($pairing):" \
			"known fault: $(grep -E -m 1 "$pair_known_fault" \
				"$scratch/result")"
	done
	fail "$name ($pairing)" "$scratch/result"
}

pair_ready() {
	"$1" "$pair_port" || pair_is_gone "$2"
}

# A background child has ended when only its zombie is left.
pair_is_gone() {
	! grep -q '^State:[[:space:]]*[^Z[:space:]]' "/proc/$1/status" 2>/dev/null
}

# pair_result - prints one line per end, without parts that differ from run to
# run.
pair_result() {
	local end

	for end in server client; do
		echo "$end: exit code $(cat "$scratch/pair.$end.rc" 2>/dev/null)"
		sed -E "s/^/$end: /; s/0x[0-9a-f]+/0xN/g; s/[0-9.]+ (seconds|Mbit|usec)/N \1/g" \
			"$scratch/pair.$end.out" 2>/dev/null |
			grep -Ev '(local|remote) address: '
	done
}

# fio_job FILE LINE... - writes a job of fio's rdma engine.
fio_job() {
	printf '%s\n' '[job]' ioengine=rdma thread iodepth=4 size=64k bs=4k \
		"port=$pair_port" "${@:2}" >"$1"
}
