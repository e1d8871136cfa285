# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # lib.sh sets the variables
#
# The three libraries on which unmodified programs are compared: the
# distribution's, the library under test, and the latter with the distribution's
# provider module. Sourced after lib.sh by the cases that need no pairings of
# different libraries.

# shellcheck disable=SC2034 # the cases use it
three='distro ours foreign'

# three_same NAME FILTER COMMAND... - the command has the same exit code and
# output on all three, after FILTER has removed the parts that differ from run
# to run.
three_same() {
	local name=$1 filter=$2 lib row=$3 column
	local to=$scratch/three

	shift 2
	for lib in $three; do
		column=$(library_label "$lib")
		"$with" "$lib" "$@" >"$to.out" 2>"$to.err"
		{ echo "exit code $?"; "$filter" <"$to.out"; } >"$to.$lib"
		[ "$lib" != distro ] || cp "$to.err" "$to.distro.err"
		# The library under test may print less on stderr, not more.
		{ [ "$lib" = distro ] || [ ! -s "$to.err" ] ||
			cmp -s "$to.err" "$to.distro.err"; } ||
			sed 's/^/stderr: /' "$to.err" >>"$to.$lib"
		same "$name ($lib)" "$to.distro" "$to.$lib"
	done
}
