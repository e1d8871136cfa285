#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The tests of libfabric (fabtests) for the provider verbs, and with --more for rxm
# and rxd over verbs: the unit tests, the functional tests and the short tests of
# runfabtests.sh, without those that fabtests excludes for a provider. libfabric and
# its tests are built from Debian's source package. libfabric ignores the loopback
# interface, so both ends use a pair of interfaces, for shared memory the same end.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"
. "$here/../world/rdma_cm.sh"

programs=/run/lane/programs
run=$programs/run
row=fabtests

# tests_of PROVIDER SET... - prints the tests of sets of runfabtests.sh, without those
# in the list of excluded tests of the provider.
tests_of() {
	local name=${1#*;} set excluded

	shift
	excluded=$(sed 's/#.*//; /^ *$/d' \
		"$programs/usr/share/fabtests/test_configs/$name/$name.exclude")
	for set; do
		sed -n "/^$set=(/,/^)/s/^\t\"\(.*\)\"\$/\1/p" \
			"$programs/usr/bin/runfabtests.sh"
	done | grep -Ev -e "$excluded"
}

# has_tests PROVIDER NUMBER - other versions of fabtests may have others.
has_tests() {
	tests_of "$1" unit_tests functional_tests short_tests |
		tee /dev/stderr | wc -l | grep -x "$2"
}

# unit_test PROVIDER PROGRAM OPTION...
unit_test() {
	local provider=$1
	local -a words

	shift
	words=("${@//SERVER_ADDR/$address}")
	"$with" "${pairing%:*}" "$run" "${words[@]//GOOD_ADDR/$address}" \
		-p "$provider"
}

# The server listens through rdma_cm, or first by TCP, to exchange addresses.
server_listens() {
	cm_server_listens "$1" || [ -n "$(ss -N "${pairing%:*}" -Htln)" ]
}

# set_ends PROVIDER PROGRAM OPTION... - sets the commands of both ends.
set_ends() {
	local provider=$1

	shift
	pair_port=$((pair_port + 1))
	ends=("$run" "$@" -p "$provider" -s "$address" -B "$pair_port" --
		"$run" "$@" -p "$provider" -s "$client_address" \
		-P "$pair_port" "$address")
}

# A known fault: the verbs provider resolves the address of an id twice, which
# rdma_cm refuses, in the kernel as well (EINVAL).
msg_sockets_fails() {
	set_ends verbs fi_msg_sockets
	! pair_run server_listens "${pairing%:*}" "${pairing#*:}" \
		"${ends[@]}" || return
	pair_result
	grep -q 'fi_connect(): .* ret=-22 ' "$scratch/pair.client.out"
}

# test_provider PROVIDER NUMBER - NUMBER is that of its tests.
test_provider() {
	local column=$path
	local -a words ends

	check "fabtests has $2 tests for $1" has_tests "$1" "$2"
	while read -ra words; do
		check "$1: ${words[*]}" unit_test "$1" "${words[@]}"
	done < <(tests_of "$1" unit_tests)
	while read -ra words; do
		if [ "${words[*]}" = fi_msg_sockets ]; then
			check "$1: fi_msg_sockets fails in the known way" \
				msg_sockets_fails
			continue
		fi
		set_ends "$1" "${words[@]}"
		pair_test "$1: ${words[*]}" server_listens "$pairing" '' \
			"${ends[@]}"
	done < <(tests_of "$1" functional_tests short_tests)
}

on_veth 1500 4
client_address=10.98.0.2
if [ "$UROCE_LOCAL" != none ]; then
	pairing=left:left
	client_address=$address
	path='memory IPv4'
	section="$path: "
fi
test_provider verbs 31
if more; then
	test_provider 'verbs;ofi_rxm' 51
	test_provider 'verbs;ofi_rxd' 48
fi
finish
