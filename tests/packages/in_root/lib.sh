# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash source-path=SCRIPTDIR/../../kernel/guest
# shellcheck disable=SC2034,SC2154 # variables of the other scripts
#
# Common functions of the scripts in this folder. The scripts run as root in a
# root of deb_root, with the packages under test in /mnt.

. "$here/end_status.sh"

ours=(libibverbs1 ibverbs-providers-anyverbs libibverbs-dev librdmacm1
	librdmacm-dev ibverbs-utils)
passed=0
failed=0

# check NAME COMMAND... - runs one test; prints its output if it fails.
check() {
	local name=$1

	shift
	if "$@" >/tmp/check.log 2>&1; then
		passed=$((passed + 1))
		echo "PASS $where: $name"
	else
		failed=$((failed + 1))
		echo "FAIL $where: $name"
		sed 's/^/       /' /tmp/check.log | tail -n 25
	fi
}

finish() {
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
}

# apt OPTION... - runs apt-get. It needs no network, because its archives
# contain all packages.
apt() {
	apt-get -q -y -o Dpkg::Use-Pty=0 "$@"
}

# state FILE - writes all installed packages and their versions.
state() {
	# shellcheck disable=SC2016 # dpkg replaces the names, not the shell
	dpkg-query -W -f '${db:Status-Abbrev} ${Package}:${Architecture} ${Version}\n' |
		LC_ALL=C sort >"$1"
}

# no_broken - no package is half installed, and all dependencies are met.
no_broken() {
	local audit

	apt-get -q check || return 1
	audit=$(dpkg --audit)
	echo "$audit"
	[ -z "$audit" ]
}

lib=$(dirname "$(find /usr/lib -name libibverbs.so.1)")

# is_ours - the dynamic linker finds the library of AnyVerbs.
is_ours() {
	local file

	file=$(ldconfig -p | sed -n 's/.*libibverbs\.so\.1 .*=> //p')
	file=$(readlink -f "$file")
	echo "$file"
	[[ $(dpkg -S "${file##*/}") == libibverbs1:* ]] &&
		grep ANYVERBS_1 "$file" &&
		[[ $(dpkg-query -W -f '${Version}' libibverbs1) == *+anyverbs* ]]
}

tcp_listens() {
	[ -n "$(ss -Htln "sport = :$1")" ]
}

# cm_listens PORT - a process has claimed the service id of the TCP port (port space
# 0x106), and sleeps.
cm_listens() {
	local pid

	pid=$(ss -Hxalp | grep "@uroce\..*\.gsi\.s\..*\.$(printf '106%04x' "$1") " |
		sed -n 's/.*pid=\([0-9]*\).*/\1/p' | head -n 1)
	[ -n "$pid" ] && ! grep -qs '^running' "/proc/$pid/syscall"
}

# client_server PORT SERVER... -- CLIENT... - starts the client when the server
# listens on the TCP port; both must succeed.
client_server() {
	run_pair tcp_listens "$@"
}

# run_pair READY PORT SERVER... -- CLIENT... - the same, when READY PORT succeeds.
run_pair() {
	local ready=$1 port=$2 pid rc=0
	local -a server=()

	shift 2
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	timeout 300 "${server[@]}" >/tmp/server.log 2>&1 &
	pid=$!
	while kill -0 "$pid" 2>/dev/null && ! "$ready" "$port"; do
		read -rt 0.05 <>/tmp/sleep_fifo || true
	done
	timeout 300 "$@" >/tmp/client.log 2>&1
	[ "$(pair_end_status /tmp/client.log $?)" = 0 ] || rc=1
	wait "$pid"
	[ "$(pair_end_status /tmp/server.log $?)" = 0 ] || rc=1
	cat /tmp/server.log /tmp/client.log
	return "$rc"
}
[ -e /tmp/sleep_fifo ] || mkfifo /tmp/sleep_fifo
