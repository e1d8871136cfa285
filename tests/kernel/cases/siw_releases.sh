#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Soft-iWARP: the modules of three Debian releases behave the same with the
# library under test as with the releases' own libraries; and the own module
# communicates with the distribution's.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/siw_compare.sh"

subcase "our siw" cm LANE_DEVICE=siw0 LANE_PAIRINGS='ours:distro distro:ours'
compared "siw of bookworm" distro foreign 'ours:ours'
for suite in trixie sid; do
	check "root of $suite" suite_up "$suite" || continue
	compared "siw of $suite" "distro@$suite" "$(suite_ours "$suite")" \
		'distro:distro ours:ours'
done
finish
