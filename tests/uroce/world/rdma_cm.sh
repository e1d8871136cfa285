# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash source-path=SCRIPTDIR
# shellcheck disable=SC2034,SC2154 # between networks.sh and the case
#
# Runs two programs that connect through rdma_cm, with the librdmacm of this tree.
# Sourced after networks.sh by the cases of rdma_cm.

# cm_server_listens PORT - a process listens at the port in the port space TCP, or
# in that of $port_space.
port_space=106
cm_server_listens() {
	local where=()

	[ "${pairing%:*}" = lo ] || where=(-N "${pairing%:*}")
	gsi_listens "$port_space" "$1" "${where[@]}"
}

# connects PATTERN PROGRAM SERVER_OPTION... -- CLIENT_OPTION... - @port and
# @address are replaced by those of the server. The program of the client is
# $client, if that is set, with its first options. The words of $starter are before
# both programs. The name of the test is $title, or the client with its options.
client=
starter=()
title=
connects() {
	local pattern=$1 program=$2 row=${2##*/} name word
	local -a both=()

	shift 2
	pair_port=$((pair_port + 1))
	name=" $* "
	for word; do
		if [ "$word" = -- ]; then
			# shellcheck disable=SC2206 # words of a command
			both+=(-- "${starter[@]}" ${client:-$program})
		else
			word=${word//@port/$pair_port}
			both+=("${word//@address/$address}")
		fi
	done
	name="${client:-$program} ${name#* -- }"
	pair_test "${title:-${name% }}" cm_server_listens "$pairing" "$pattern" \
		"${starter[@]}" "$program" "${both[@]}"
}

# test_perftest_cm PROGRAM OPTION...
test_perftest_cm() {
	local program=$1 title="$1 -R ${*:2}"
	local -a starter=("${perftest_server_first[@]}" "${starter[@]}")

	shift
	connects '^ *#bytes' "$program" -F -R -p @port "$@" -- \
		-F -R -p @port "$@" @address
}

# test_qperf_cm TEST... - a test of qperf connects both ends through rdma_cm; its server
# never ends. It sends its port to the client before it listens there.
test_qperf_cm() {
	local row=qperf pair_endless=yes

	pair_port=$((pair_port + 1))
	pair_test "qperf -cm 1 $*" place_listens "$pairing" "^${!#}:" \
		"${server_first[@]}" qperf -lp "$pair_port" -- \
		"${server_first[@]}" qperf -lp "$pair_port" -t 1 -cm 1 "$address" "$@"
}
