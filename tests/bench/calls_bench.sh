# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # variables of lib.sh
#
# Counts the instructions of each verbs function in user space: runs
# calls_control_bench and calls_data_bench under callgrind with both libraries,
# prints one table, and checks that no call of our library takes more
# instructions than the distribution's. The kernel's instructions are not
# counted; they are equal for both. The counts of two runs are equal, except for
# listing devices, where both libraries read folders; so there is no tolerance.
# Sourced in the guest, after lib.sh, by the case that makes the device.
. "$(dirname "${BASH_SOURCE[0]}")/result.sh"

calls_programs=(control data)

# calls_run LIBRARY PROGRAM DEVICE GID_INDEX - callgrind writes one file for
# each row to $scratch/calls.LIBRARY.
calls_run() {
	local folder=$scratch/calls.$1

	mkdir -p "$folder"
	LANE_COMMAND_TIMEOUT=500 "$with" "$1" valgrind --quiet \
		--tool=callgrind --collect-atstart=no --dump-line=no \
		--callgrind-out-file="$folder/$2" \
		"$tools/calls_$2_bench" "$3" "$4"
}

# calls_measure LIBRARY DEVICE GID_INDEX
calls_measure() {
	local program

	for program in "${calls_programs[@]}"; do
		check "calls_${program}_bench, $1" \
			calls_run "$1" "$program" "$2" "$3" || return 1
	done
}

# calls_counts LIBRARY - prints lines "NAME<tab>INSTRUCTIONS", in the order of
# the measurements, for one call and without the cost of counting.
calls_counts() {
	local program

	for program in "${calls_programs[@]}"; do
		# The last file has no label: the program's end.
		# shellcheck disable=SC2016 # for awk to expand
		find "$scratch/calls.$1" -name "$program.*" | sort -V |
			xargs awk '
			FNR == 1 { label = "" }
			/^desc: Trigger: Client Request: / {
				label = substr($0, 32)
				count = label
				sub(/=.*/, "", label)
				sub(/.*=/, "", count)
			}
			/^(summary|totals): / && label != "" {
				each[++nr] = $2 / count
				name[nr] = label
				if (label == "nothing")
					nothing = each[nr]
				label = ""
			}
			END {
				for (i = 1; i <= nr; i++)
					if (name[i] != "nothing")
						printf "%s\t%.1f\n", name[i],
							each[i] - nothing
			}'
	done
}

# calls_result - writes the table in the format of tests/bench/README.md.
calls_result() {
	{
		result_head
		paste <(calls_counts distro) <(calls_counts ours) |
			awk -F '\t' -v OFS='\t' -v distro="$(result_who distro)" \
				-v ours="$(result_who ours)" '{
				print $1, distro, $2, "instructions"
				print $1, ours, $4, "instructions"
			}'
	} >"$LANE_OUT/calls.tsv"
}

# calls_table - prints the table, and writes the rows above 1.0 to
# $scratch/calls.above.
calls_table() {
	calls_result
	echo
	printf '%-40s %12s %9s %14s\n' 'instructions in user space' \
		distribution ours ours/distrib.
	paste <(calls_counts distro) <(calls_counts ours) |
		awk -F '\t' -v above="$scratch/calls.above" '
		BEGIN { printf "" >above }
		{
			row = sprintf("%-40s %12.1f %9.1f %14.3f", $1, $2, $4,
				$2 ? $4 / $2 : 0)
			print row
			if ($1 != $3 || $2 <= 0 || $4 > $2)
				print row >above
		}'
	echo
}

# calls_none_above - checks that no row of the table is above 1.0.
calls_none_above() {
	[ "$(calls_counts ours | wc -l)" -ge 50 ] || return 1
	cat "$scratch/calls.above"
	[ ! -s "$scratch/calls.above" ]
}
