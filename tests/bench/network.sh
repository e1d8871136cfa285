# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Two network namespaces of an unprivileged user, for benchmarks: the one of the
# script, and that of $peer. Sourced by them.

# enter_network SCRIPT ARGUMENT... - starts the script again, in a namespace in which
# it may make interfaces. Returns if it is there.
enter_network() {
	[ -z "${BENCH_INSIDE-}" ] || return 0
	unshare -Urn true 2>/dev/null || {
		echo "no network namespaces here" >&2
		exit 77
	}
	BENCH_INSIDE=1 exec unshare -Urn "$@"
}

there() {
	nsenter --target "$peer" --net "$@"
}

make_peer() {
	setpriv --pdeathsig TERM unshare --net sleep infinity &
	peer=$!
	while [ "$(readlink /proc/$peer/ns/net)" = \
		"$(readlink /proc/self/ns/net)" ]; do
		sleep 0.01
	done
	there ip link set lo up
}

# The carrier of a new interface is detected up to a second later.
wait_up() {
	local i

	for ((i = 0; i < 100; i++)); do
		case $("$@") in *'state UP'*) return ;; esac
		sleep 0.1
	done
	echo "an interface does not come up" >&2
	exit 1
}

# make_pair MTU NET NEAR FAR - a pair of interfaces: NEAR here with NET.1, FAR at the
# peer with NET.2.
make_pair() {
	ip link add "$3" mtu "$1" type veth \
		peer name "$4" mtu "$1" netns "$peer"
	ip addr add "$2.1/24" dev "$3"
	ip link set "$3" up
	there ip addr add "$2.2/24" dev "$4"
	there ip link set "$4" up
	wait_up ip link show "$3"
	wait_up there ip link show "$4"
}
