# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# The begin of every test case of the guest: prepares the libraries and the test
# programs once per boot (libraries.sh), counts passed and failed tests, and
# runs commands with either library. A case sources it, calls the functions
# below, and ends with finish.

set -u

# The folders of with(1) and of the C programs of guest_tools/.
guest=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
with=$guest/with
tools=/run/lane/tools
case_name=$(basename "$0" .sh)
scratch=/run/lane/scratch/$case_name
rm -rf "$scratch"
mkdir -p "$scratch"
chmod 1777 "$scratch"

. "$guest/table.sh"
. "$guest/libraries.sh"

passed=0
failed=0
section=
# Text about the libraries from a case that starts this one.
prefix=${LANE_PREFIX-}

say() {
	echo "== $case_name: $*"
}

pass() {
	passed=$((passed + 1))
	tally ok
	echo "ok   $case_name: $prefix$section$*"
}

# fail NAME [FILE]... - prints the files, which contain the reason.
fail() {
	local file

	failed=$((failed + 1))
	tally fail
	echo "FAIL $case_name: $prefix$section$1"
	shift
	for file; do
		head -n 40 "$file" 2>/dev/null | sed 's/^/       /'
	done
}

# check NAME COMMAND... - passes when the command succeeds.
check() {
	local name=$1 log=$scratch/check.log rc

	shift
	"$@" >"$log" 2>&1
	rc=$?
	if [ "$rc" -eq 0 ]; then
		pass "$name"
	else
		echo "exit code $rc of: $*" >>"$log"
		fail "$name" "$log"
	fi
	return "$rc"
}

# same NAME DISTRO_FILE OUR_FILE - passes when the files are equal byte for
# byte.
same() {
	if diff -u "$2" "$3" >"$scratch/same.log" 2>&1; then
		pass "$1"
	else
		fail "$1" "$scratch/same.log"
	fi
}

# The lane tests itself when "ours" is a copy of the distribution's library.
self_test() {
	[ -e /run/lane/self_test ]
}

# check_ours NAME COMMAND... - like check, for promises of the library under
# test only.
check_ours() {
	local name=$1

	if self_test; then
		shift
		if "$@" >"$scratch/check.log" 2>&1; then
			echo "note $case_name: $prefix$section$name: holds (self test)"
		else
			echo "note $case_name: $prefix$section$name: does not hold (self test)"
			head -n 5 "$scratch/check.log" | sed 's/^/       /'
		fi
	else
		check "$@"
	fi
}

with_distro() {
	"$with" distro "$@"
}

with_ours() {
	"$with" ours "$@"
}

# record LIBRARY NAME COMMAND... - writes NAME.LIBRARY.{out,err,rc} to $scratch.
record() {
	local to=$scratch/$2.$1

	"$with" "$1" "${@:3}" >"$to.out" 2>"$to.err"
	echo $? >"$to.rc"
}

# compare_program COMMAND... - prints the first word that is not a helper
# program.
compare_program() {
	case $1 in
	"$tools"/*) basename "${2-$1}" ;;
	*) basename "$1" ;;
	esac
}

# compare NAME COMMAND... - the command must have the same output and exit code
# with both libraries, and no additional text on stderr with the library under
# test.
compare() {
	local name=$1 key row column

	row=$(compare_program "${@:2}")
	# The reference counts as right.
	column=$(library_label distro)
	tally ok
	column=$(library_label ours)
	key=${name//[^A-Za-z0-9_-]/_}
	record distro "$key" "${@:2}"
	record ours "$key" "${@:2}"
	{ cat "$scratch/$key.distro.out"; echo "rc"; cat "$scratch/$key.distro.rc"; } \
		>"$scratch/$key.distro"
	{ cat "$scratch/$key.ours.out"; echo "rc"; cat "$scratch/$key.ours.rc"; } \
		>"$scratch/$key.ours"
	if ! cmp -s "$scratch/$key.distro" "$scratch/$key.ours"; then
		diff -u "$scratch/$key.distro" "$scratch/$key.ours" \
			>"$scratch/$key.diff"
		fail "$name: same output" "$scratch/$key.diff" \
			"$scratch/$key.ours.err"
	elif [ -s "$scratch/$key.ours.err" ] &&
		! cmp -s "$scratch/$key.distro.err" "$scratch/$key.ours.err"; then
		fail "$name: same output, but ours prints more on stderr" \
			"$scratch/$key.ours.err"
	else
		pass "$name: same output"
	fi
}

# wait_for SECONDS COMMAND... - repeats the command until it succeeds.
wait_for() {
	local end=$((SECONDS + $1))

	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.1
	done
}

# stop PID... - ends processes that this case started, and waits for them.
stop() {
	kill "$@" 2>/dev/null
	wait "$@" 2>/dev/null
}

finish() {
	echo "$passed $failed" >"${LANE_COUNT:-$LANE_OUT/$case_name.count}"
	echo "$case_name: $passed passed, $failed failed"
	[ "$failed" -eq 0 ]
	exit
}

# The loader must select the library under test, or the comparisons prove
# nothing.
ours_is_loaded() {
	local mode=$1 want

	want=$(stat -c %d:%i /run/lane/ours/libibverbs.so.1 -L)
	# shellcheck disable=SC2016 # the inner shell expands these
	LANE_MODE=$mode with_ours bash -c '
		file=$(LD_TRACE_LOADED_OBJECTS=1 ibv_devices |
			sed -n "s/.*libibverbs.so.1 => \([^ ]*\).*/\1/p")
		[ "$(stat -L -c %d:%i "$file")" = "$1" ]' bash "$want"
}

libraries_prepare || { fail "prepare the libraries"; finish; }
if [ -n "$LANE_LIB" ] && [ ! -e /run/lane/verified ]; then
	if ours_is_loaded path && ours_is_loaded bind; then
		touch /run/lane/verified
	else
		fail "programs of the distribution load our library"
		finish
	fi
fi
