# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Sourced. The findings of the layer validate, in a file NAME.PID for each process.

known_mistakes=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../known_mistakes.txt

# broken_rules FILE - prints each rule that the process has broken, and whether
# known_mistakes.txt lists it for the program: "known" or "other".
broken_rules() {
	local program rule

	program=$(basename "${1%.*}")
	while read -r rule; do
		if grep -q "^$program $rule " "$known_mistakes"; then
			echo "$rule known"
		else
			echo "$rule other"
		fi
	done < <(grep -o 'AV-[A-Z]*-[0-9]*' "$1" | sort -u)
}
