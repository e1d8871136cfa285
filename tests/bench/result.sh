# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Writes results of benchmarks that run in the lane; README.md describes the
# format. Sourced by them.

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
