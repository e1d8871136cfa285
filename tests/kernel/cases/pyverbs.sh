#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# rdma-core's own test suite, as the distribution packages it, on soft-RoCE and
# soft-iWARP, compared test by test: a test that passes with the distribution's
# library must pass with the library under test, and no more tests may be
# skipped or fail. At the end the case prints the results of all tests, and the
# tests that pass only with the library under test.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/siw_link.sh"
. "$here/../guest/three.sh"

packaged=/usr/share/doc/rdma-core/tests
suite=$scratch/tests
adapted=$scratch/tests.adapted
only_ours=$scratch/only_ours

unpack_suite() {
	mkdir "$suite" && cp "$packaged"/* "$suite" && gunzip "$suite"/*.gz
}

# A second copy of the suite, for the tests of is_adapted: with empty CQs where
# QPs leave the error state, and with a pause before completions are expected.
unpack_adapted() {
	cp -r "$suite" "$adapted" &&
		sed -i '/def restate_qps/,/def test/ {
			/client.qp.modify/ a\
        self.server.cq.poll(100); self.client.cq.poll(100)
		}' "$adapted/test_mr.py" &&
		sed -i '/# Decrease the CQ size to less/ i\
        __import__("time").sleep(1)
		' "$adapted/test_cq.py"
}

# run_suite LIBRARY DEVICE OUTPUT TEST... - runs all tests unless some are
# named.
run_suite() {
	LANE_COMMAND_TIMEOUT=1800 "$with" "$1" python3 -B \
		"$here/../guest_tools/pyverbs_results.py" "$suite" "$3" \
		--dev "$2" "${@:4}" >"$3.log" 2>&1
}

outcome() {
	awk -F '\t' -v t="$1" '$2 == t { print $1 }' "$2"
}

# again DEVICE TEST LIBRARY - runs a test with a worse result alone, up to three
# times: the suite chooses sizes, keys and ports at random.
again() {
	for _ in 1 2 3; do
		run_suite "$3" "$1" "$scratch/again" "${2#tests.}"
		[ "$(outcome "$2" "$scratch/again")" != ok ] || return 0
	done
	return 1
}

# why TEST LOG - prints the suite's report of a test.
why() {
	local short=${1##*.}

	sed -nE "/^(ERROR|FAIL): $short /,/^(=====|Ran )/p" "$2"
	grep -A 1 "^$short " "$2" | grep skipped
}

# Two tests expect behaviour that rxe does not have, with any library, and pass only
# by chance:
# - that a reset takes the completions of a QP out of its CQ. The distribution's
#   provider does not reach this check, as it cannot re-register memory at all.
# - that a send is complete when posting it returns. In newer kernels another
#   thread completes it.
is_adapted() {
	[ "$1" = tests.test_mr.MRTest.test_mr_rereg_pd ] ||
		[ "$1" = tests.test_cq.CQTest.test_resize_cq ]
}

# passes_adapted DEVICE TEST LIBRARY
passes_adapted() {
	local suite=$adapted

	again "$@"
}

# note_only_ours DEVICE LIBRARY TEST EXPECTED - records the test unless it
# passes with the distribution's library in a second run.
note_only_ours() {
	local try=again

	! is_adapted "$3" || try=passes_adapted
	if "$try" "$1" "$3" distro; then
		echo "note pyverbs: $1: $3: $4 with the distribution's library," \
			"ok when it is run again"
	else
		printf '%s\t%s\t%s\t%s\n' "$@" >>"$only_ours"
	fi
}

# compare_results DEVICE LIBRARY - compares the results of LIBRARY with the
# distribution's.
compare_results() {
	local test want got row=pyverbs column

	column=$(library_label "$2")
	while IFS=$'\t' read -r want test; do
		got=$(outcome "$test" "$scratch/$1.$2")
		if [ "$got" = ok ]; then
			pass "$test ($2)"
			[ "$want" = ok ] ||
				note_only_ours "$1" "$2" "$test" "$want"
		elif [ "$got" = fail ] && is_adapted "$test" &&
			passes_adapted "$1" "$test" "$2"; then
			echo "note pyverbs: $1: $test: $got, but passed after adaptation ($2)"
			pass "$test, adapted ($2)"
			[ "$want" = ok ] ||
				note_only_ours "$1" "$2" "$test" "$want"
		elif [ "$want" = "$got" ] ||
			{ [ "$want" = fail ] && [ "$got" = skip ]; }; then
			[ "$got" = skip ] ||
				echo "note pyverbs: $1: $test: $got with both ($2)"
		elif [ "$want" = ok ] && again "$1" "$test" "$2"; then
			echo "note pyverbs: $1: $test: $got, but passed alone ($2)"
			pass "$test ($2)"
		elif [ "$want" = ok ] && ! again "$1" "$test" distro; then
			echo "note pyverbs: $1: $test: $got ($2), also alone" \
				"with the distribution's library"
		else
			why "$test" "$scratch/$1.$2.log" >"$scratch/why"
			fail "$test: $want with the distribution's library, ${got:-gone} with $2" \
				"$scratch/why"
		fi
	done <"$scratch/$1.distro"
}

# count VERDICT FILE
count() {
	grep -c "^$1" "$2"
}

# print_results DEVICE... - prints the results in a form to be kept.
print_results() {
	local device lib file

	echo
	echo "pyverbs on Linux $LANE_KERNEL:"
	printf '%-8s %-16s %6s %6s %6s\n' device library ok failed skipped
	for device; do
		for lib in $three; do
			file=$scratch/$device.$lib
			printf '%-8s %-16s %6s %6s %6s\n' "$device" \
				"$(library_label "$lib")" "$(count ok "$file")" \
				"$(count fail "$file")" "$(count skip "$file")"
		done
	done
	echo "Passes only with our library (device, library, test, with the distribution's):"
	sed 's/^/    /' "$only_ours"
}

check "rxe0 comes up" rxe_up
check "siw0 comes up" siw_up
check "unpack the suite" unpack_suite || finish
check "unpack the adapted suite" unpack_adapted
: >"$only_ours"
for device in rxe0 siw0; do
	section="$device: "
	for lib in $three; do
		check "the suite runs to its end ($lib)" \
			run_suite "$lib" "$device" "$scratch/$device.$lib"
		echo "     $lib: $(cut -f 1 "$scratch/$device.$lib" | sort |
			uniq -c | tr -s '\n ' ' ')"
	done
	row=pyverbs
	column=$(library_label distro)
	while read -r verdict _; do
		[ "$verdict" = skip ] || tally "$verdict"
	done <"$scratch/$device.distro"
	row=
	compare_results "$device" ours
	compare_results "$device" foreign
done
print_results rxe0 siw0
finish
