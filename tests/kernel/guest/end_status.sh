# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# The exit status of one of two programs that communicate. Sourced by pair.sh, and
# in the roots of tests/packages, which get a copy.

# The message of an end that fails for a reason of its own, with any library.
pair_own_race=
# pair_end_status OUTPUT STATUS - prints the exit status, or 0 for such an end, whose
# output is in the file OUTPUT.
pair_end_status() {
	if [ -n "$pair_own_race" ] && [ "$2" -eq 255 ] &&
		grep -q "$pair_own_race" "$1"; then
		echo 0
	else
		echo "$2"
	fi
}
