# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# How benchmarks that run in the lane leave a result; README.md tells what is in
# one. Sourced by them.

result_head() {
	printf 'quantity\twho\tvalue\tunit\n'
}

# result_who LIBRARY - as a reader knows it
result_who() {
	case $1 in
	ours) echo AnyVerbs ;;
	distro) echo rdma-core ;;
	esac
}
