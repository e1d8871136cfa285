#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# local_compare.sh OLD NEW [ROUNDS] - speed of two builds of the user-space
# device between two processes of one host. OLD and NEW are build trees, each
# with optional settings: BUILD,NAME=value. Each round measures both builds, one
# directly after the other, so that both meet the same state of the machine.
#
# Prints P, the time that a cache line takes from one processor to the other,
# and a table of medians for each placement that occurred: near (P < 80 ns, the
# processors share a cache), far (P > 120 ns) and between. "ratio" is the median
# of the ratios NEW/OLD of the rounds. Exits with 1 if a ratio is more than 3 %
# worse in a placement with at least five rounds.
set -eu

if [ $# -lt 2 ]; then
	echo "usage: $0 OLD NEW [ROUNDS]" >&2
	exit 2
fi

here=$(dirname "$(realpath "$0")")
builds=("$(realpath "${1%%,*}")" "$(realpath "${2%%,*}")")
settings=("${1#"${1%%,*}"}" "${2#"${2%%,*}"}")
rounds=${3:-21}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
class=(chrt -f 1)
"${class[@]}" true 2>/dev/null || class=()

"${CC:-cc}" -O2 -std=gnu11 -D_GNU_SOURCE -I"$here/../../include" \
	-o "$scratch/local_bench" "$here"/local_{bench,mapped,raw,verbs}.c \
	"$here"/wire_{rig,verbs}.c -L"${builds[0]}/lib" -libverbs -lpthread

# measure BUILD-NUMBER ROUND - the second round of a process counts: in the first
# one, the kernel accesses most pages of its memory for the first time.
measure() {
	local lib=${builds[$1]}/lib
	local -a set

	IFS=, read -ra set <<<"${settings[$1]#,}"
	LD_LIBRARY_PATH=$lib:$lib/libibverbs UROCE_DEVICES=lo \
		env "${set[@]}" "${class[@]}" timeout 60 "$scratch/local_bench" \
		$(($2 * 2)) 2 | awk -v build="$1" -v round="$2" '
			BEGIN { FS = OFS = "\t" }
			$2 == 2 * round + 1 { print build, $1, round, $3 }
		' >>"$scratch/measured"
}

for ((round = 0; round < rounds; round++)); do
	measure $((round % 2)) "$round"
	measure $((1 - round % 2)) "$round"
done

awk '
	BEGIN { FS = "\t" }
	{ value[$1, $2, $3] = $4; names[$2]; rounds[$3] }

	function median(v, n, i, j, t) {
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) {
				t = v[j]; v[j] = v[j - 1]; v[j - 1] = t
			}
		return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
	}

	# The placement of a round, or none if the two builds had different ones.
	function placement(round, of, build, p) {
		for (build = 0; build < 2; build++) {
			p = value[build, "line", round]
			of[build] = p < 80 ? "near" : p > 120 ? "far" : "between"
		}
		return of[0] == of[1] ? of[0] : ""
	}

	END {
		for (round in rounds) {
			place = placement(round)
			if (place == "")
				continue
			nr[place]++
			for (name in names)
				if (((0, name, round) in value) &&
				    ((1, name, round) in value))
					pairs[place, name] = pairs[place, name] " " round
		}
		for (place in nr)
			for (name in names) {
				n = split(pairs[place, name], r, " ")
				if (n == 0)
					continue
				for (i = 1; i <= n; i++) {
					old[i] = value[0, name, r[i]]
					new[i] = value[1, name, r[i]]
					ratio[i] = old[i] > 0 ? new[i] / old[i] : 1
				}
				m = median(ratio, n)
				more = name ~ /_(16k|64k|1m|16m)(_deaf)?$|^rate/
				worse = more ? m < 0.97 : m > 1.03
				own = name !~ /^(line|writev)/
				if (worse && own && n >= 5)
					bad = 1
				printf "%-8s %3d  %-18s %10.3f %10.3f %7.3f %s\n",
					place, n, name, median(old, n), median(new, n), m,
					worse && own ? (n >= 5 ? "worse" : "few rounds") : ""
			}
		exit bad
	}' "$scratch/measured" >"$scratch/table" && code=0 || code=$?
echo "place  rounds  measurement               OLD        NEW   ratio"
sort -k 1,1 -k 3,3 "$scratch/table"
exit "$code"
