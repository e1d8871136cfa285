#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Each verbs call on soft-RoCE under callgrind: the library under test needs at
# most as many instructions as the distribution's. The case leaves callgrind's
# files in $LANE_OUT; callgrind_annotate(1) shows the instructions of each
# function.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../../bench/calls_bench.sh"

check "rxe0 comes up" rxe_up
calls_measure distro rxe0 "$rxe_gid_index"
calls_measure ours rxe0 "$rxe_gid_index"
calls_table
check_ours "no call takes more instructions" calls_none_above
cp -r "$scratch"/calls.* "$LANE_OUT"
finish
