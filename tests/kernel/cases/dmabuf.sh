#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Memory regions of the device in user space in a dma-buf of /dev/udmabuf: over
# the network, through shared memory, and with long messages that both ends
# copy.

here=$(dirname "$(readlink -f "$0")")
. "$here/../guest/lib.sh"

# run_pair NAME SETTING... - counts each line of the program's output as a test.
run_pair() {
	local name=$1 verdict text

	"$with" distro ip netns exec dmabuf env UROCE_DEVICES=lo \
		LD_LIBRARY_PATH=/run/lane/ours "${@:2}" \
		"$tools/dmabuf_pair" uroce_lo 1 >"$scratch/out" 2>&1
	echo "exit code $?" >>"$scratch/out"
	while read -r verdict text; do
		case $verdict in
		ok) pass "$name: $text" ;;
		*) [ "$verdict $text" = 'exit code 0' ] ||
			fail "$name: $verdict $text" ;;
		esac
	done <"$scratch/out"
}

if self_test; then
	echo "note $case_name: not with the distribution's library (self test)"
	finish
fi
check "the kernel has udmabuf" test -c /dev/udmabuf
check "a network namespace" ip netns add dmabuf
check "its loopback interface" ip -n dmabuf link set lo up
run_pair "network" UROCE_LOCAL=none
run_pair "shared memory" UROCE_RNDV=never
run_pair "shared memory, both ends copy" UROCE_RNDV=always
run_pair "shared memory, no cross memory attach" UROCE_CMA=none
check "the network namespace is removed" ip netns del dmabuf
finish
