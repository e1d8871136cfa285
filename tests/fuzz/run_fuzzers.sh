#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# run_fuzzers.sh BUILD_DIR SECONDS - runs each fuzz target for that time.
#
# BUILD_DIR is a build by clang with -DENABLE_FUZZERS=ON. What the targets find
# interesting is kept in BUILD_DIR/tests/fuzz/found, so that the next run goes
# on from there; what fails is kept beside it as crash-*, timeout-* or leak-*.
# Copy such a file to tests/fuzz/regressions/TARGET. Ends with 1 if a target
# failed.
set -eu

if [ $# -ne 2 ]; then
	echo "usage: run_fuzzers.sh BUILD_DIR SECONDS" >&2
	exit 2
fi
here=$(dirname "$(readlink -f "$0")")
build=$(readlink -f "$1")/tests/fuzz
seconds=$2
failed=0
nr_run=0

for target in "$here"/fuzz_*.c; do
	name=$(basename "$target" .c)
	[ "$name" != fuzz_main ] || continue
	if [ ! -x "$build/$name" ]; then
		echo "FAIL $name: not built; configure with -DENABLE_FUZZERS=ON"
		failed=1
		continue
	fi
	mkdir -p "$build/found/$name"
	set -- "$build/found/$name" "$build/corpus/$name"
	[ ! -d "$here/regressions/$name" ] || set -- "$@" "$here/regressions/$name"
	if (cd "$build" && "./$name" -max_total_time="$seconds" -timeout=60 \
		-rss_limit_mb=1024 -max_len=8192 -print_final_stats=1 \
		-verbosity=0 "$@") >"$build/$name.log" 2>&1; then
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' \
			"$build/$name.log")
		echo "ok   $name: $runs inputs in $seconds s"
	else
		echo "FAIL $name:"
		tail -n 40 "$build/$name.log" | sed 's/^/     /'
		failed=1
	fi
	nr_run=$((nr_run + 1))
done

[ "$nr_run" -gt 0 ] && [ "$failed" -eq 0 ]
