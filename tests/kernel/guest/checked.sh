# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # between lib.sh and the cases
#
# Runs the interop_* programs, which check each other's memory and print a
# result for each check. Sourced after lib.sh and pair.sh.

# checked LISTENS SERVER:CLIENT PROGRAM GID DEVICE:DEVICE ADDRESS - counts each
# line of the client as a test. LISTENS as for pair_run; ADDRESS is the
# server's.
checked() {
	local listens=$1 pairing=$2 verdict name row=$3 column
	local program=$tools/$3 gid=$4 devices=$5 address=$6

	column=$(pairing_label "$pairing")
	pair_port=$((pair_port + 1))
	pair_run "$listens" "${pairing%:*}" "${pairing#*:}" \
		"$program" "${devices%:*}" "$gid" "$pair_port" -- \
		"$program" "${devices#*:}" "$gid" "$pair_port" "$address"
	while read -r verdict name; do
		case $verdict in
		ok) pass "$name" ;;
		FAIL) fail "$name" ;;
		skip) echo "     $verdict $name" ;;
		esac
	done <"$scratch/pair.client.out"
	check "both ends succeed" both_ended_well
}

both_ended_well() {
	[ "$(cat "$scratch"/pair.{server,client}.rc | tr -d '\n')" = 00 ] || {
		cat "$scratch"/pair.{server,client}.out
		return 1
	}
}
