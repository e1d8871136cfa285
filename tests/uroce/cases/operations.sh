#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Operations that the distribution's programs do not use: ibv_wr_*, memory
# windows, invalidation, extended CQs, resizing, multicast, errors. The programs
# are those of the kernel lane, which compares soft-RoCE with them.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

# run_checks PROGRAM [OPTION]... - counts each line of its output as a test.
run_checks() {
	local row=$1 column=$path verdict name

	"$with" lo "$tools/$1" "$device" "$gid" "${@:2}" \
		>"$scratch/$1" 2>&1
	echo "exit code $?" >>"$scratch/$1"
	while read -r verdict name; do
		case $verdict in
		ok) pass "$1: $name" ;;
		skip | note:) echo "     $verdict $name" ;;
		*) [ "$verdict $name" = 'exit code 0' ] ||
			fail "$1: $verdict $name" ;;
		esac
	done <"$scratch/$1"
}

for family in 4 6; do
	on_lo "$family"
	run_checks operations
	run_checks objects
	# this machine's kernel may lack /dev/udmabuf, which the lane uses
	run_checks dmabuf_pair fake
done
finish
