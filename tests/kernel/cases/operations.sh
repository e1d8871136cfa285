#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Everything that a device does once, by two programs (guest_tools/operations.c,
# objects.c): what arrives, what is refused, and what is left after an error.
# How the distribution's library fares is printed. With our own provider all must
# pass; with a provider of another release, what passes with its own library.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"

own_provider() {
	[ -z "${LANE_OURS_IS-}" ]
}

# judge VERDICT NAME - NAME goes on with the reason of a FAIL.
judge() {
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
	# the shell would tell of its crash, too
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
		judge "$verdict" "$name"
	done <"$scratch/$1.ours"
	# A provider that crashes in the end does so with any library.
	own_provider || ends=$(tail -n 1 "$scratch/$1.distro")
	check "comes to the same end" grep -qx "$ends" "$scratch/$1.ours"
}

check "rxe0 comes up" rxe_up
if self_test; then
	echo "note operations: not with the distribution's library (self test)"
	finish
fi
run_program operations
run_program objects
finish
