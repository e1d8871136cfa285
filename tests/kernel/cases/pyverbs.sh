#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# rdma-core's own test suite, as the distribution packages it, on soft-RoCE and
# soft-iWARP, compared test by test: what passes with the distribution's library
# must pass with ours, and nothing more may be skipped or fail.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/siw.sh"
. "$here/../guest/three.sh"

packaged=/usr/share/doc/rdma-core/tests
suite=$scratch/tests

unpack_suite() {
	mkdir "$suite" && cp "$packaged"/* "$suite" && gunzip "$suite"/*.gz
}

# run_suite LIBRARY DEVICE OUTPUT TEST... - all tests unless some are named.
run_suite() {
	LANE_COMMAND_TIMEOUT=200 "$with" "$1" python3 -B \
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

# judge DEVICE LIBRARY - the results of LIBRARY against the distribution's.
judge() {
	local test want got row=pyverbs column

	column=$(library_label "$2")
	while IFS=$'\t' read -r want test; do
		got=$(outcome "$test" "$scratch/$1.$2")
		if [ "$got" = ok ]; then
			pass "$test ($2)"
			[ "$want" = ok ] ||
				echo "note pyverbs: $1: $test: $want with the" \
					"distribution's library, ok with $2"
		elif [ "$want" = "$got" ] ||
			{ [ "$want" = fail ] && [ "$got" = skip ]; }; then
			[ "$got" = skip ] ||
				echo "note pyverbs: $1: $test: $got with both ($2)"
		elif [ "$want" = ok ] && again "$1" "$test" "$2"; then
			echo "note pyverbs: $1: $test: passed again alone ($2)"
			pass "$test ($2)"
		else
			why "$test" "$scratch/$1.$2.log" >"$scratch/why"
			fail "$test: $want with the distribution's library, ${got:-gone} with $2" \
				"$scratch/why"
		fi
	done <"$scratch/$1.distro"
}

check "rxe0 comes up" rxe_up
check "siw0 comes up" siw_up
check "the suite is there" unpack_suite || finish
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
finish
