# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # between it and the scripts
#
# What the scripts of this folder use; they run as root in a root of
# deb_root, with the packages under test in /mnt.

ours=(libibverbs1 ibverbs-providers-anyverbs libibverbs-dev ibverbs-utils)
passed=0
failed=0

# check NAME COMMAND... - one test; its output is shown if it fails.
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

# apt OPTION... - without a network: all that is needed is in its archives.
apt() {
	apt-get -q -y -o Dpkg::Use-Pty=0 "$@"
}

# state FILE - every installed package with its version.
state() {
	# shellcheck disable=SC2016 # dpkg replaces the names, not the shell
	dpkg-query -W -f '${db:Status-Abbrev} ${Package}:${Architecture} ${Version}\n' |
		LC_ALL=C sort >"$1"
}

# no_broken - nothing is half installed, and no dependency is unmet.
no_broken() {
	local audit

	apt-get -q check || return 1
	audit=$(dpkg --audit)
	echo "$audit"
	[ -z "$audit" ]
}

lib=$(dirname "$(find /usr/lib -name libibverbs.so.1)")

# is_ours - the library that programs get is that of AnyVerbs.
is_ours() {
	local file

	file=$(ldconfig -p | sed -n 's/.*libibverbs\.so\.1 .*=> //p')
	file=$(readlink -f "$file")
	echo "$file"
	[[ $(dpkg -S "${file##*/}") == libibverbs1:* ]] &&
		grep ANYVERBS_1 "$file" &&
		[[ $(dpkg-query -W -f '${Version}' libibverbs1) == *+anyverbs* ]]
}

# two PORT SERVER... -- CLIENT... - the client is started when the server listens
# on the TCP port; both must succeed.
two() {
	local port=$1 pid rc=0
	local -a server=()

	shift
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	timeout 300 "${server[@]}" >/tmp/server.log 2>&1 &
	pid=$!
	while kill -0 "$pid" 2>/dev/null &&
		[ -z "$(ss -Htln "sport = :$port")" ]; do
		read -rt 0.05 <>/tmp/never || true
	done
	timeout 300 "$@" >/tmp/client.log 2>&1 || rc=1
	wait "$pid" || rc=1
	cat /tmp/server.log /tmp/client.log
	return "$rc"
}
[ -e /tmp/never ] || mkfifo /tmp/never
