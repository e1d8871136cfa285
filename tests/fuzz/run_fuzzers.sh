#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# run_fuzzers.sh BUILD_DIR SECONDS [TARGET] - runs each fuzz target (or the
# named one) for that time, as many in parallel as there are processors.
#
# BUILD_DIR is a build by clang with -DENABLE_FUZZERS=ON. New inputs are kept in
# BUILD_DIR/tests/fuzz/found, where the next run continues; failing inputs are
# kept beside that folder as crash-*, timeout-* or leak-*. Copy such a file to
# tests/fuzz/regressions/TARGET. Exits with 1 if a target failed.
set -eu

if [ $# -lt 2 ] || [ $# -gt 3 ]; then
	echo "usage: run_fuzzers.sh BUILD_DIR SECONDS [TARGET]" >&2
	exit 2
fi
here=$(dirname "$(readlink -f "$0")")
build=$(readlink -f "$1")/tests/fuzz
seconds=$2

if [ $# -eq 2 ]; then
	targets=$(cd "$here" && printf '%s\n' fuzz_*.c | sed '/^fuzz_main/d; s/\.c$//')
	[ -n "$targets" ] || exit 1
	# The output of a target is not split; xargs ends with 123 if one
	# failed.
	echo "$targets" |
		xargs -P "$(nproc)" -n 1 "$0" "$1" "$seconds" || exit 1
	exit 0
fi

name=$3
if [ ! -x "$build/$name" ]; then
	echo "FAIL $name: not built; configure with -DENABLE_FUZZERS=ON"
	exit 1
fi
mkdir -p "$build/found/$name"
set -- "$build/found/$name" "$build/corpus/$name"
[ ! -d "$here/regressions/$name" ] || set -- "$@" "$here/regressions/$name"
if (cd "$build" && "./$name" -max_total_time="$seconds" -timeout=60 \
	-rss_limit_mb=1024 -max_len=8192 -print_final_stats=1 \
	-verbosity=0 "$@") >"$build/$name.log" 2>&1; then
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log")
	echo "ok   $name: $runs inputs in $seconds s"
	exit 0
fi
{
	echo "FAIL $name:"
	tail -n 40 "$build/$name.log" | sed 's/^/     /'
} >"$build/$name.report"
cat "$build/$name.report"
exit 1
