# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # lib.sh sets the variables
#
# Runs a case inside another one, on other libraries or another device than its
# defaults. Sourced after lib.sh.

# subcase PREFIX CASE VARIABLE=VALUE... - counts CASE's tests as this one's,
# with PREFIX in their names. The variables: LANE_DISTRO_IS, LANE_OURS_IS,
# LANE_BIND, LANE_DEVICE, LANE_PAIRINGS, LANE_TESTS.
subcase() {
	local prefix=$1 name=$2 count=$scratch/$2.count sub_passed sub_failed

	shift 2
	rm -f "$count"
	env LANE_COUNT="$count" LANE_PREFIX="$prefix: " "$@" \
		"$guest/../cases/$name.sh" | grep -v "^$name: [0-9]* passed"
	if read -r sub_passed sub_failed 2>/dev/null <"$count"; then
		passed=$((passed + sub_passed))
		failed=$((failed + sub_failed))
	else
		fail "$prefix: $name ends"
	fi
}
