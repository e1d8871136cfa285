# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # between lib.sh and the cases
#
# Runs the interop_* programs, which check each other's memory and print a
# result for each check. Sourced after lib.sh and pair.sh.

# checked LISTENS SERVER:CLIENT PROGRAM GID DEVICE:DEVICE ADDRESS - LISTENS as for
# pair_run; ADDRESS is the server's.
checked() {
	local program=$tools/$3 gid=$4 devices=$5 address=$6 row=$3

	pair_port=$((pair_port + 1))
	checked_pair "$1" "$2" \
		"$program" "${devices%:*}" "$gid" "$pair_port" -- \
		"$program" "${devices#*:}" "$gid" "$pair_port" "$address"
}

# checked_pair LISTENS SERVER:CLIENT SERVER_COMMAND -- CLIENT_COMMAND - counts each
# line of the client as a test.
checked_pair() {
	local pairing=$2 verdict name column

	column=$(pairing_label "$pairing")
	pair_run "$1" "${pairing%:*}" "${pairing#*:}" "${@:3}"
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
