# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash source-path=SCRIPTDIR/../../kernel/guest
# shellcheck disable=SC2034,SC2154 # between lib.sh and the cases
#
# The begin of every case: the helpers of the kernel lane, and the networks on
# which programs run. A case sources this file, selects a network with on_lo or
# on_veth, calls ends, check and other helpers, and ends with finish.

world=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

lane=$world/../../kernel/guest
. "$lane/lib.sh"
. "$lane/pair.sh"

# Replaces the lane's: the first argument is a place, not a library.
with=$world/with
mkdir -p /run/lane/home
chmod 1777 /run/lane/home

pair_port=20000
# The time limit of a program, which takes a second or two on an idle machine.
pair_limit=150

# Set by on_*: where server and client run, their device, the server's TCP
# address, the GID index, and the column of the table.
pairing=lo:lo
device=uroce_lo
address=127.0.0.1
gid=1
path='lo IPv4'

# The column of the table, instead of a pair of libraries.
pairing_label() {
	echo "$path"
}

# True for the longer lists of ./check uroce_more.
more() {
	[ -n "${UROCE_MORE-}" ]
}

place_listens() {
	local where=()

	[ "${pairing%:*}" = lo ] || where=(-N "${pairing%:*}")
	[ -n "$(ss "${where[@]}" -Htln "sport = :$1")" ]
}

# on_lo 4|6 - selects the loopback interface, with both ends in one network
# namespace. Packets go over it unless UROCE_LOCAL allows memory. Many programs
# support only IPv4 for their TCP connection, so the TCP address is IPv4 in both
# cases.
on_lo() {
	pairing=lo:lo
	device=uroce_lo
	address=127.0.0.1
	path="lo IPv$1"
	[ "$UROCE_LOCAL" = none ] || path="memory IPv$1"
	section="$path: "
	gid=1
	[ "$1" = 4 ] || gid=0
}

# veth_pair_up - makes the network namespaces left and right, each with one end
# of a pair of interfaces called ve0.
veth_pair_up() {
	local place last=1

	[ ! -e /run/netns/left ] || return 0
	ip netns add left && ip netns add right &&
		ip link add ve0 netns left type veth peer name ve0 netns right ||
		return 1
	for place in left right; do
		# Without duplicate address detection the GIDs are available at
		# once.
		ip netns exec "$place" sysctl -qw net.ipv6.conf.ve0.accept_dad=0 &&
			ip -n "$place" addr add "10.98.0.$last/24" dev ve0 &&
			ip -n "$place" addr add "fd98::$last/64" dev ve0 &&
			ip -n "$place" link set ve0 up &&
			ip -n "$place" link set lo up || return 1
		last=$((last + 1))
	done
}

# on_veth MTU 4|6 - selects the pair of interfaces; the server is on the left.
on_veth() {
	local place

	pairing=left:right
	device=uroce_ve0
	path="MTU $1 IPv$2"
	section="$path: "
	address=10.98.0.1
	gid=1
	[ "$2" = 4 ] || gid=2
	veth_pair_up || return 1
	for place in left right; do
		ip -n "$place" link set ve0 mtu "$1" || return 1
	done
}

# ends PATTERN PROGRAM OPTION... - runs one test: a server, and a client that
# gets the server's address as its last argument and prints PATTERN.
ends() {
	local pattern=$1 row=$2 program=$2

	pair_port=$((pair_port + 1))
	shift 2
	pair_test "$program $*" place_listens "$pairing" "$pattern" \
		"$program" -p "$pair_port" "$@" -- \
		"$program" -p "$pair_port" "$@" "$address"
}

# nothing_left PLACE - checks that no socket of the device exists when no
# program runs there.
no_socket_left() {
	local where=()

	[ "$1" = lo ] || where=(-N "$1")
	ss "${where[@]}" -Hunap 'sport = :4791' >"$scratch/left_behind"
	ss "${where[@]}" -Hxap | grep '@.*uroce' >>"$scratch/left_behind"
	cat "$scratch/left_behind"
	[ ! -s "$scratch/left_behind" ]
}

# says NAME PATTERN COMMAND... - checks that the command succeeds and prints
# PATTERN.
says() {
	local name=$1 pattern=$2

	shift 2
	"$@" >"$scratch/says.log" 2>&1
	echo "exit code $?" >>"$scratch/says.log"
	if grep -qx 'exit code 0' "$scratch/says.log" &&
		grep -Eq -- "$pattern" "$scratch/says.log"; then
		pass "$name"
	else
		echo "expected: $pattern" >>"$scratch/says.log"
		fail "$name" "$scratch/says.log"
	fi
}
