#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# rdma-core's own test suite, as the distribution packages it: no test may fail,
# and each skipped test is listed with the suite's reason. The case names the
# tests that must run, so that none of them is skipped unnoticed. The tests of
# rdma_cm use the librdmacm of this tree.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"

packaged=/usr/share/doc/rdma-core/tests
suite=/run/lane/pyverbs
results=$scratch/results
unpack_suite() {
	mkdir "$suite" && cp "$packaged"/* "$suite" && gunzip "$suite"/*.gz &&
		chmod -R a+rX "$suite"
}

run_suite() {
	: >"$results"
	chmod 666 "$results"
	LANE_COMMAND_TIMEOUT=1200 PYVERBS_INTERFACE=lo "$with" lo python3 -B \
		"$tools/pyverbs_results.py" "$suite" "$results" \
		--dev "$device" --gid "$gid" "$@" >"$scratch/log" 2>&1 ||
		{ tail -n 20 "$scratch/log"; return 1; }
}

# why TEST - prints the suite's error report of a test.
why() {
	sed -nE "/^(ERROR|FAIL): ${1##*.} /,/^(=====|Ran )/p" "$scratch/log"
}

# Lists the skipped tests by module and reason.
skipped() {
	grep -h 'skipped ' "$scratch/log" |
		sed -E "s/.*skipped '?//; s/'\$//" | sort | uniq -c | sort -rn
}

check "unpack the suite" unpack_suite || finish
for family in 4 6; do
	on_lo "$family"
	check "the suite runs to its end" run_suite
	row=pyverbs
	column=$path
	while read -r verdict test; do
		case $verdict:${test##*.} in
		ok:*) pass "$test" ;;
		fail:*)
			why "$test" >"$scratch/why"
			fail "$test" "$scratch/why"
			;;
		esac
	done <"$results"
	row=
	check "at least 143 tests ran" \
		test "$(grep -cv '^skip' "$results")" -ge 143
	odp=15
	# two tests need huge pages
	[ "$(cat /proc/sys/vm/nr_hugepages)" -eq 0 ] || odp=17
	check "all tests of on-demand paging succeed" \
		test "$(grep -c '^ok.*\.test_odp\.' "$results")" -eq $odp
	check "all 7 tests of XRC succeed" \
		test "$(grep -c '^ok.*\.test.*xrc' "$results")" -eq 7
	check "both tests of imported objects succeed" \
		test "$(grep -c '^ok.*\.Shared[A-Za-z]*\.' "$results")" -eq 2
	check "all 10 tests of rdma_cm succeed" \
		test "$(grep -c '^ok.*\.test_rdmacm\.' "$results")" -eq 10
	echo "     skipped, with the suite's reason:"
	skipped | sed 's/^/     /'
done
finish
