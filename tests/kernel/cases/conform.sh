#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The conformance tests of tests/verbs on soft-RoCE, between two processes, with
# ibv_post_send() and ibv_wr_*(). tests/verbs/expect/rxe*.txt list the tests
# that fail because of the kernel driver.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"

# expect_options - an option for the file of all kernels and of this one.
expect_options() {
	local release file

	release=$(uname -r | cut -d. -f1,2)
	for file in rxe "rxe-$release"; do
		file=$here/../../verbs/expect/$file.txt
		[ ! -e "$file" ] || echo "--expect=$file"
	done
}

# conform_run [OPTION]... - runs the program; the last line is its exit code.
conform_run() {
	local -a args

	mapfile -t args < <(expect_options)
	LANE_COMMAND_TIMEOUT=1800 "$with" ours "$tools/conform" rxe0 \
		"$rxe_gid_index" --kernel "$@" "${args[@]}" 2>&1
	echo "exit code $?"
}

# conform MODE [OPTION]... - each test of the program is one of the case.
conform() {
	local verdict name rc=
	local row=conform column

	section="$1: "
	shift
	column=$(library_label ours)
	while read -r verdict name; do
		case $verdict in
		ok) pass "$name" ;;
		FAIL) fail "$name" ;;
		*) echo "     $verdict $name" ;;
		esac
		rc=$name
	done < <(conform_run "$@")
	check "ends with exit code 0" [ "$rc" = 'code 0' ]
}

check "rxe0 comes up" rxe_up
conform post_send
conform wr --wr --poll
finish
