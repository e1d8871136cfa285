# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Writes results of benchmarks; README.md describes the format. Sourced by them.

result_head() {
	printf 'quantity\twho\tvalue\tunit\n'
}

# result_who LIBRARY - prints the library's name for readers
result_who() {
	case $1 in
	ours) echo AnyVerbs ;;
	distro) echo rdma-core ;;
	esac
}

result_ratio_head() {
	printf 'quantity\twho\tvalue\tunit\tyardstick\tratio\tbetter\tmust\n'
}

# result_ratio TABLE UNIT BETTER QUANTITY PROGRAM VALUE [YARDSTICK [MUST]] - prints a
# row, and adds it to TABLE. BETTER is "more" or "less"; the value may be empty.
result_ratio() {
	awk -v OFS='\t' -v table="$1" -v unit="$2" -v better="$3" \
		-v quantity="$4" -v who="$5" -v value="${6:--}" \
		-v yardstick="${7:--}" -v must="${8:--}" '
		BEGIN {
			ratio = "-"
			if (value != "-") {
				if (yardstick > 0)
					ratio = sprintf("%.3f", value / yardstick)
				value = sprintf("%.3f", value)
			}
			printf "%-42s %-12s %9s %s  %s\n", quantity, who, value,
				unit, ratio
			print quantity, who, value, unit, yardstick, ratio,
				better, must >>table
		}'
}

# iperf_mb_s FILE - what the server of iperf3 received, in MB/s, by the output of the
# client with "-f k"
iperf_mb_s() {
	awk '$NF == "receiver" { print $(NF - 2) / 8000 }' "$1"
}
