#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# All operations of a device, once, by two programs (guest_tools/operations.c,
# objects.c): arriving data, refused operations, and the state after an error.
# The case prints the results with the distribution's library. With the own
# provider all must pass; with a provider of another release, those that pass
# with its own library.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"

own_provider() {
	[ -z "${LANE_OURS_IS-}" ]
}

# count_verdict VERDICT NAME - NAME includes the reason of a FAIL.
count_verdict() {
	case $1 in
	ok) pass "$2" ;;
	FAIL)
		if own_provider ||
			grep -qxF "ok ${2%%: *}" "$scratch/$program.distro"; then
			fail "$2"
		else
			echo "     FAIL $2 (with its own library too)"
		fi
		;;
	*) echo "     $1 $2" ;;
	esac
}

# run_program PROGRAM
run_program() {
	local program=$1 verdict name row=$1 column ends='exit code 0'

	section="$1: "
	# hides the shell's message about a crash
	{
		"$with" distro "$tools/$1" rxe0 "$rxe_gid_index" \
			>"$scratch/$1.distro" 2>&1
		echo "exit code $?" >>"$scratch/$1.distro"
	} 2>/dev/null
	column=$(library_label distro)
	while read -r verdict name; do
		echo "     distribution: ${verdict/FAIL/no} $name"
		case $verdict in
		ok | FAIL) tally "${verdict,,}" ;;
		esac
	done <"$scratch/$1.distro"
	"$with" ours "$tools/$1" rxe0 "$rxe_gid_index" >"$scratch/$1.ours" 2>&1
	echo "exit code $?" >>"$scratch/$1.ours"
	column=$(library_label ours)
	while read -r verdict name; do
		count_verdict "$verdict" "$name"
	done <"$scratch/$1.ours"
	# A provider that crashes at the end does so with any library.
	own_provider || ends=$(tail -n 1 "$scratch/$1.distro")
	check "ends as with the distribution's library" grep -qx "$ends" "$scratch/$1.ours"
}

check "rxe0 comes up" rxe_up
if self_test; then
	echo "note operations: not with the distribution's library (self test)"
	finish
fi
run_program operations
run_program objects
finish
