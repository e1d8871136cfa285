#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The tests of libfabric (fabtests) for its verbs provider: the unit tests and the
# short tests of runfabtests.sh without those that fabtests excludes for verbs. Both
# are built from Debian's source package. libfabric ignores the loopback interface,
# so both ends use an interface of a pair, for shared memory the same one.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"
. "$here/../world/rdma_cm.sh"

programs=/run/lane/programs
run=$programs/run
row=fabtests

# tests_of SET... - prints the tests of sets of runfabtests.sh.
tests_of() {
	local set excluded

	excluded=$(sed 's/#.*//; /^ *$/d' \
		"$programs/usr/share/fabtests/test_configs/verbs/verbs.exclude")
	for set; do
		sed -n "/^$set=(/,/^)/s/^\t\"\(.*\)\"\$/\1/p" \
			"$programs/usr/bin/runfabtests.sh"
	done | grep -Ev -e "$excluded"
}

# unit_test PROGRAM OPTION...
unit_test() {
	local words=("${@//SERVER_ADDR/$address}")

	"$with" "${pairing%:*}" "$run" "${words[@]//GOOD_ADDR/$address}" -p verbs
}

# The server listens through rdma_cm, or first by TCP, to exchange addresses.
server_listens() {
	cm_server_listens "$1" || [ -n "$(ss -N "${pairing%:*}" -Htln)" ]
}

# test_ends PROGRAM OPTION...
test_ends() {
	pair_port=$((pair_port + 1))
	pair_test "$*" server_listens "$pairing" '' \
		"$run" "$@" -p verbs -s "$address" -B $pair_port -- \
		"$run" "$@" -p verbs -s "$client_address" -P $pair_port "$address"
}

# fi_msg_sockets resolves the address of an id twice, which rdma_cm refuses in the
# kernel as well (rdma_resolve_addr(3), EINVAL).
msg_sockets_fails() {
	! test_ends fi_msg_sockets >"$scratch/msg_sockets" 2>&1
	cat "$scratch/msg_sockets"
	grep -q 'fi_connect(): .* ret=-22 ' "$scratch/msg_sockets"
}

test_fabric() {
	local test column=$path
	local -a words

	while read -ra words; do
		check "${words[*]}" unit_test "${words[@]}"
	done < <(tests_of unit_tests)
	while read -ra words; do
		case ${words[*]} in
		fi_msg_sockets) check "fi_msg_sockets fails in the known way" \
			msg_sockets_fails ;;
		*) test_ends "${words[@]}" ;;
		esac
	done < <(tests_of functional_tests short_tests)
}

on_veth 1500 4
client_address=10.98.0.2
if [ "$UROCE_LOCAL" = none ]; then
	test_fabric
else
	pairing=left:left
	client_address=$address
	path='memory IPv4'
	section="$path: "
	test_fabric
fi
finish
