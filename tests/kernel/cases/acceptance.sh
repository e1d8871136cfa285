#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Provider modules of three Debian releases with the library under test, in the
# roots of all three: each module must get through guest_tools/acceptance.c
# exactly as far as with the library that it was built with. The reference's own
# libraries fail with some of these mixes although the module loads; the case
# prints that.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"
. "$here/../guest/rxe.sh"
. "$here/../guest/siw_link.sh"

suites='bookworm trixie sid'

# walk LIBRARY DEVICE OUTPUT - runs all steps; writes the module's file name to
# OUTPUT.module.
walk() {
	"$with" "$1" "$tools/acceptance" "$2" >"$3.all" 2>&1
	echo "exit code $?" >>"$3.all"
	sed -n 's/^module //p' "$3.all" >"$3.module"
	grep -v '^module ' "$3.all" >"$3"
}

module_is() {
	cat "$1"
	grep -q "^$2/lib[a-z]*-rdmav[0-9]*\.so$" "$1"
}

# reference DEVICE SUITE - records the results of each module with its own
# library, for comparison.
reference() {
	local own=$scratch/$1.$2 row=acceptance column=$2

	walk "distro@$2" "$1" "$own"
	if [ "$1" = rxe0 ]; then
		check "$2: all steps with its own library" \
			grep -qx 'exit code 0' "$own"
	else
		# iWARP has no extended CQ and no ibv_wr_*.
		check "$2: runs to its end with its own library" \
			grep -qx 'exit code 1' "$own"
	fi
}

# reference_mix DEVICE SUITE MODULE_SUITE - prints a result without counting it.
reference_mix() {
	local from=/$module_folder to=/$module_folder name=lib${1%0}-rdmav34.so

	[ "$3" = bookworm ] || from=/run/lane/root/$3/$module_folder
	[ "$2" = bookworm ] || to=/run/lane/root/$2/$module_folder
	# shellcheck disable=SC2016 # the inner shell expands these
	unshare --mount --propagation private bash -c '
		mount --bind "$1" "$2" && shift 2 && exec "$@"' bash \
		"$from/$name" "$to/$name" \
		"$with" "distro@$2" "$tools/acceptance" "$1" 2>&1 |
		sed -n "s/^FAIL /note acceptance: $2's own library, $1 module of $3: fails at /p"
}

# ours DEVICE SUITE MODULE_SUITE
ours() {
	local got=$scratch/ours row=acceptance column=ours+$3

	walk "module-$3@$2" "$1" "$got"
	check "$1: module of $3 is used in $2" \
		module_is "$got.module" "/run/lane/module-$3/libibverbs"
	same "$1: module of $3 in $2: as with its own library" \
		"$scratch/$1.$3" "$got"
}

check "rxe0 comes up" rxe_up
check "siw0 comes up" siw_up
for suite in $suites; do
	check "root of $suite" suite_up "$suite"
	check "modules of $suite" module_up "$suite"
done

for device in rxe0 siw0; do
	section="$device: "
	for suite in $suites; do
		reference "$device" "$suite"
	done
	section=
	reference_mix "$device" trixie bookworm
	reference_mix "$device" bookworm trixie
	if self_test; then
		echo "note acceptance: not with the distribution's library (self test)"
		continue
	fi
	for suite in $suites; do
		for module in $suites; do
			ours "$device" "$suite" "$module"
		done
	done
done
finish
