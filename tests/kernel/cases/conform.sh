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

# conform MODE [OPTION]... - each test of the program is one of the case.
conform() {
	local mode=$1 log=$scratch/$1.log verdict name rc
	local row=conform column
	local -a args

	shift
	section="$mode: "
	column=$(library_label ours)
	mapfile -t args < <(expect_options)
	LANE_COMMAND_TIMEOUT=1200 "$with" ours "$tools/conform" rxe0 \
		"$rxe_gid_index" "$@" "${args[@]}" >"$log" 2>&1
	rc=$?
	while read -r verdict name; do
		case $verdict in
		ok) pass "$name" ;;
		FAIL) fail "$name" ;;
		*) echo "     $verdict $name" ;;
		esac
	done <"$log"
	check "ends with exit code 0" [ "$rc" -eq 0 ]
}

check "rxe0 comes up" rxe_up
conform post_send
conform wr --wr --poll
finish
