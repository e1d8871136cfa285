#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Debian 13 and sid with their libibverbs.so.1 replaced by the library under
# test: their programs, with the provider modules of their release, behave as
# with their own library.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/subcase.sh"

check "rxe0 comes up" rxe_up
for suite in trixie sid; do
	check "root of $suite" suite_up "$suite" || continue
	# Programs of the suite at both ends, and with one end on Debian 12.
	for name in devices events pingpong cm operations; do
		subcase "rxe of $suite" "$name" \
			LANE_DISTRO_IS="distro@$suite" \
			LANE_OURS_IS="$(suite_ours "$suite")" \
			LANE_BIND="$(suite_bind "$suite")" \
			LANE_PAIRINGS='distro:distro ours:ours'
	done
done
finish
