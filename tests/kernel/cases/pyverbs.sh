#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# rdma-core's own test suite, as the distribution packages it, on soft-RoCE and
# soft-iWARP, compared test by test: what passes with the distribution's library
# must pass with ours, and nothing more may be skipped or fail. At the end stands
# what became of all tests, and which pass with our library only.

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

# The suite once more, for the tests of is_adapted: with empty CQs where QPs leave
# the error state, and after a pause where completions must have come.
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

# run_suite LIBRARY DEVICE OUTPUT TEST... - all tests unless some are named.
run_suite() {
	LANE_COMMAND_TIMEOUT=1800 "$with" "$1" python3 -B \
		"$here/../guest_tools/pyverbs_results.py" "$suite" "$3" \
		--dev "$2" "${@:4}" >"$3.log" 2>&1
}

outcome() {
	awk -F '\t' -v t="$1" '$2 == t { print $1 }' "$2"
}

# again DEVICE TEST LIBRARY - a test that went worse is run alone, up to three
# times: the suite chooses sizes, keys and ports at random.
again() {
	for _ in 1 2 3; do
		run_suite "$3" "$1" "$scratch/again" "${2#tests.}"
		[ "$(outcome "$2" "$scratch/again")" != ok ] || return 0
	done
	return 1
}

# why TEST LOG - what the suite said about a test.
why() {
	local short=${1##*.}

	sed -nE "/^(ERROR|FAIL): $short /,/^(=====|Ran )/p" "$2"
	grep -A 1 "^$short " "$2" | grep skipped
}

# Two tests expect what rxe does not promise, whatever the library, and then pass
# by chance or are spared:
# - that a reset takes the completions of a QP out of its CQ. The distribution's
#   provider is not asked, as it cannot re-register memory at all.
# - that a send is complete when posting it returns. In newer kernels another
#   thread does it.
is_adapted() {
	[ "$1" = tests.test_mr.MRTest.test_mr_rereg_pd ] ||
		[ "$1" = tests.test_cq.CQTest.test_resize_cq ]
}

# passes_adapted DEVICE TEST LIBRARY
passes_adapted() {
	local suite=$adapted

	again "$@"
}

# note_only_ours DEVICE LIBRARY TEST WANT - unless it passes with the distribution's
# library, too, when it is tried again.
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

# judge DEVICE LIBRARY - the results of LIBRARY against the distribution's.
judge() {
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
			echo "note pyverbs: $1: $test: $got, but passed when it was adapted ($2)"
			pass "$test, adapted ($2)"
			[ "$want" = ok ] ||
				note_only_ours "$1" "$2" "$test" "$want"
		elif [ "$want" = "$got" ] ||
			{ [ "$want" = fail ] && [ "$got" = skip ]; }; then
			[ "$got" = skip ] ||
				echo "note pyverbs: $1: $test: $got with both ($2)"
		elif [ "$want" = ok ] && again "$1" "$test" "$2"; then
			echo "note pyverbs: $1: $test: $got, but passed again alone ($2)"
			pass "$test ($2)"
		elif [ "$want" = ok ] && ! again "$1" "$test" distro; then
			echo "note pyverbs: $1: $test: $got ($2), and so it is alone" \
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

# print_results DEVICE... - what the case is for, in a form to be kept.
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
check "the suite is there" unpack_suite || finish
check "a second suite is there" unpack_adapted
: >"$only_ours"
for device in rxe0 siw0; do
	section="$device: "
	for lib in $three; do
		check "the suite comes to its end ($lib)" \
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
	judge "$device" ours
	judge "$device" foreign
done
print_results rxe0 siw0
finish
