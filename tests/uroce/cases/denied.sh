#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Things that a sandbox, a container or an administrator may deny: system calls,
# socket families, socket options, descriptors, access to other processes of the
# same user. Every operation works without them, over the network if necessary,
# or fails with a reason in the log. The counters that both ends log when they
# close the device show which path was used instead.

here=$(dirname "$(readlink -f "$0")")
. "$here/../world/networks.sh"
. "$here/../world/denied.sh"

row=denied
on_lo 4
column=$path

# Names and numbers of options: socket families 1 = AF_UNIX, 2 = AF_INET,
# 10 = AF_INET6; fcntl 1033 = F_ADD_SEALS; level 1 = SOL_SOCKET with 8 =
# SO_RCVBUF, 15 = SO_REUSEPORT, 51 = SO_ATTACH_REUSEPORT_CBPF; level 17 = UDP
# with 103 = UDP_SEGMENT, 104 = UDP_GRO. Errors: 38 = ENOSYS, 92 = ENOPROTOOPT,
# 97 = EAFNOSUPPORT.
vm=(process_vm_readv process_vm_writev)
mem=(preadv pwritev)
gro=setsockopt/1=17/2=104!92

# Expected counters. Either the requester copies alone, to or from the target's
# memory, or the target's helper thread does: the target's program makes no
# verbs calls.
copied_vm=('shm_copies_vm>0' shm_copies_mem=0)
copied_mem=(shm_copies_vm=0 'shm_copies_mem>0')
by_helper=(shm_copies_vm=0 shm_copies_mem=0 'shm_bells>0' 'helper_wakes>0')
no_pair=(shm_pairs=0 shm_tx_packets=0)

# Denials that do not affect access to the memory of another process.
test_common_denials() {
	local call

	test_denied none "$default_path"
	for call in io_uring_setup!38 membarrier membarrier!38 pidfd_getfd \
		pidfd_open prctl sched_getaffinity sched_yield userfaultfd \
		getrandom!38 recvmmsg recvmmsg!38 sendmmsg sendmmsg!38 \
		"$gro" setsockopt/1=1/2=8 socket/0=10!97; do
		test_denied "$call" "$default_path"
	done
	test_is_called membarrier "$gro" setsockopt/1=1/2=8 socket/0=10
	test_is_not_called io_uring_setup pidfd_getfd pidfd_open userfaultfd
	for call in memfd_create memfd_create!38 ftruncate fcntl/1=1033 \
		madvise epoll_create1; do
		test_denied "$call" network "${no_pair[@]}"
	done
	for call in socket/0=1 setsockopt/1=1/2=15 setsockopt/1=1/2=51; do
		test_denied "$call" 'the port is down: .*not permitted'
	done
	for call in setsockopt/1=1/2=15 setsockopt/1=1/2=51; do
		test_port_down "without $call" "$tools/deny" "$call"
	done
	test_denied accept4 'the port is down: '
	test_denied eventfd2 'peer_ctx: Operation not permitted'
	test_few_descriptors 8 14 20 28 36 40 48 64
}

# Ways of a process to access the memory of an unresponsive one.
test_memory_access() {
	local call

	test_cma_setting auto 'shm_copies_vm>0' 'shm_copies_mem>0'
	test_cma_setting vm "${copied_vm[@]}"
	test_cma_setting mem "${copied_mem[@]}"
	test_cma_setting none "${by_helper[@]}"
	test_denied "${vm[*]}" memory "${copied_mem[@]}"
	test_denied "${vm[*]/%/!38}" memory "${copied_mem[@]}"
	test_denied "${mem[*]}" memory "${copied_vm[@]}"
	test_denied "${mem[*]/%/!38}" memory "${copied_vm[@]}"
	test_denied "${vm[*]} ${mem[*]}" memory "${by_helper[@]}"
	# the permission to read is checked first, and it is granted
	test_denied process_vm_writev memory shm_copies_vm=0
	test_denied pwritev memory shm_copies_mem=0
	test_is_called "${vm[@]}" "${mem[@]}" memfd_create
	test_not_dumpable "${by_helper[@]}"
	for call in memfd_create memfd_create!38 ftruncate fcntl/1=1033 \
		madvise epoll_create1; do
		test_one_end_denied "$call" network "${no_pair[@]}"
	done
	for call in membarrier process_vm_writev pidfd_open "${vm[*]}" \
		"${mem[*]}" "${vm[*]} ${mem[*]}"; do
		test_one_end_denied "$call" memory
	done
	test_one_end_setting UROCE_CMA=none memory "${by_helper[@]}"
	test_one_end_setting UROCE_LOCAL=none network "${no_pair[@]}"
}

# has_on_demand - whether the device has on-demand paging without CALL.
has_on_demand() {
	"$with" lo "$tools/deny" "$1" ibv_devinfo -v >"$scratch/devinfo" &&
		grep -q 'ODP_SUPPORT_IMPLICIT' "$scratch/devinfo"
}

has_no_on_demand() {
	! has_on_demand "$1" && grep -q 'general_odp_caps' "$scratch/devinfo"
}

test_on_demand() {
	local call

	check "on-demand paging" has_on_demand none
	for call in "${vm[@]}" "${vm[@]/%/!38}"; do
		check "no on-demand paging without $call" \
			has_no_on_demand "$call"
	done
}

# Queue pairs of one process.
test_own_process() {
	local call

	test_own_denied none memory shm_pairs=1
	for call in memfd_create memfd_create!38 memfd_create!24 ftruncate \
		fcntl/1=1033 madvise; do
		test_own_denied "$call" network "${no_pair[@]}"
	done
	test_own_full network "${no_pair[@]}"
}

# Ways to send and receive datagrams: several in one call, by GSO and GRO, or by
# sendmmsg() and recvmmsg().
test_datagram_calls() {
	test_denied sendmmsg network 'tx_calls<tx_datagrams'
	test_denied recvmmsg network 'rx_calls<rx_datagrams'
	test_denied "$gro recvmmsg" network 'rx_calls=rx_datagrams'
	preload=$tools/preload_no_gso.so
	test_denied none network 'tx_calls<tx_datagrams'
	test_denied sendmmsg network 'tx_calls>=tx_datagrams'
	test_denied "sendmmsg recvmmsg $gro" network 'tx_calls>=tx_datagrams' \
		'rx_calls=rx_datagrams'
	preload=
	test_is_called recvmmsg sendmmsg
	test_is_not_called "${vm[@]}" "${mem[@]}" memfd_create
}

test_common_denials
test_on_demand
if [ "$UROCE_LOCAL" = none ]; then
	test_datagram_calls
else
	test_memory_access
	test_own_process
fi
test_other_user
test_plain_socket
test_other_namespace
check "no socket of the device is left" no_socket_left lo
finish
