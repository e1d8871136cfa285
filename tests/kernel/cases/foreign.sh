#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Debian's own rxe module with the library under test: selected by name although
# the library has its own module, and selected by default if the own module is
# not installed. Then the other cases run on this module.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/subcase.sh"

# serves LIBRARY PATTERN - checks the file name of the module that has opened
# rxe0.
serves() {
	"$with" "$1" "$tools/acceptance" rxe0 >"$scratch/acceptance" 2>&1
	cat "$scratch/acceptance"
	grep -q "^module $2$" "$scratch/acceptance"
}

check "rxe0 comes up" rxe_up
check_ours "ours has the first choice" \
	serves ours '/run/lane/ours/libibverbs/librxe-anyverbs[0-9]*\.so'
check_ours "a name with a suffix chooses the distribution's" \
	serves foreign "/$module_folder/librxe-rdmav34\.so"
check_ours "the distribution's, when our module is not there" \
	serves bind-alone ".*/libibverbs/librxe-rdmav34\.so"

on="LANE_OURS_IS=foreign LANE_BIND=bind-alone"
for name in devices events; do
	# shellcheck disable=SC2086 # two words
	subcase "rxe of bookworm" "$name" $on
done
for name in pingpong cm operations; do
	# shellcheck disable=SC2086 # two words
	subcase "rxe of bookworm" "$name" $on \
		LANE_PAIRINGS='ours:ours ours:distro distro:ours'
done
finish
