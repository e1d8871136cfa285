#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Everything that a device does once, by two programs (guest_tools/operations.c,
# objects.c): what arrives, what is refused, and what is left after an error.
# How the distribution's library fares is printed.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"

# run_program PROGRAM
run_program() {
	local verdict name

	section="$1: "
	"$with" distro "$tools/$1" rxe0 "$rxe_gid_index" >"$scratch/$1.distro" 2>&1
	sed 's/^/     distribution: /' "$scratch/$1.distro"
	"$with" ours "$tools/$1" rxe0 "$rxe_gid_index" >"$scratch/$1.ours" 2>&1
	echo "exit code $?" >>"$scratch/$1.ours"
	while read -r verdict name; do
		case $verdict in
		ok) pass "$name" ;;
		FAIL) fail "$name" ;;
		*) echo "     $verdict $name" ;;
		esac
	done <"$scratch/$1.ours"
	check "comes to its end" grep -q '^exit code 0$' "$scratch/$1.ours"
}

check "rxe0 comes up" rxe_up
if self_test; then
	echo "note operations: not with the distribution's library (self test)"
	finish
fi
run_program operations
run_program objects
finish
