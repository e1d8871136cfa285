#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What a sandbox, a container or an administrator may take away: system calls,
# families of sockets, socket options, descriptors, the rights of one user over
# its processes. Everything works without it, over the network if need be, or it
# is said why not. That it really was done without it, and how instead, the
# counters say, which both ends log when they close the device.

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

# Counters. Who asks does it alone, in the target's memory; or the target, which
# is deaf, has a helper thread that is called to do it.
alone_vm=('local_copies_vm>0' local_copies_mem=0)
alone_mem=(local_copies_vm=0 'local_copies_mem>0')
called=(local_copies_vm=0 local_copies_mem=0 'local_bells>0' 'helper_wakes>0')
no_pair=(local_pairs=0 local_tx_packets=0)

# What needs no memory of others.
everywhere() {
	local call

	without none "$here_way"
	for call in io_uring_setup!38 membarrier membarrier!38 pidfd_getfd \
		pidfd_open prctl sched_getaffinity sched_yield userfaultfd \
		getrandom!38 recvmmsg recvmmsg!38 sendmmsg sendmmsg!38 \
		"$gro" setsockopt/1=1/2=8 socket/0=10!97; do
		without "$call" "$here_way"
	done
	needs membarrier "$gro" setsockopt/1=1/2=8 socket/0=10
	does_not_need io_uring_setup pidfd_getfd pidfd_open userfaultfd
	for call in memfd_create memfd_create!38 ftruncate fcntl/1=1033 \
		madvise epoll_create1; do
		without "$call" network "${no_pair[@]}"
	done
	for call in socket/0=1 setsockopt/1=1/2=15 setsockopt/1=1/2=51; do
		without "$call" 'the port is down: .*not permitted'
	done
	for call in setsockopt/1=1/2=15 setsockopt/1=1/2=51; do
		without_port "without $call" "$tools/deny" "$call"
	done
	without accept4 'the port is down: '
	without eventfd2 'peer_ctx: Operation not permitted'
	few_descriptors 8 14 20 28 36 40 48 64
}

# How a process gets at the memory of one that does not listen.
ways_into_memory() {
	local call

	ways auto 'local_copies_vm>0' 'local_copies_mem>0'
	ways vm "${alone_vm[@]}"
	ways mem "${alone_mem[@]}"
	ways none "${called[@]}"
	without "${vm[*]}" memory "${alone_mem[@]}"
	without "${vm[*]/%/!38}" memory "${alone_mem[@]}"
	without "${mem[*]}" memory "${alone_vm[@]}"
	without "${mem[*]/%/!38}" memory "${alone_vm[@]}"
	without "${vm[*]} ${mem[*]}" memory "${called[@]}"
	# what was allowed at first, as to read is
	without process_vm_writev memory local_copies_vm=0
	without pwritev memory local_copies_mem=0
	needs "${vm[@]}" "${mem[@]}" memfd_create
	not_dumpable "${called[@]}"
	for call in memfd_create memfd_create!38 ftruncate fcntl/1=1033 \
		madvise epoll_create1; do
		one_without "$call" network "${no_pair[@]}"
	done
	for call in membarrier process_vm_writev pidfd_open "${vm[*]}" \
		"${mem[*]}" "${vm[*]} ${mem[*]}"; do
		one_without "$call" memory
	done
	one_with UROCE_CMA=none memory "${called[@]}"
	one_with UROCE_LOCAL=none network "${no_pair[@]}"
}

# How datagrams come and go: many with one call, by GSO and GRO, by sendmmsg()
# and recvmmsg().
ways_of_datagrams() {
	without sendmmsg network 'tx_calls<tx_datagrams'
	without recvmmsg network 'rx_calls<rx_datagrams'
	without "$gro recvmmsg" network 'rx_calls=rx_datagrams'
	preload=$tools/preload_no_gso.so
	without none network 'tx_calls<tx_datagrams'
	without sendmmsg network 'tx_calls>=tx_datagrams'
	without "sendmmsg recvmmsg $gro" network 'tx_calls>=tx_datagrams' \
		'rx_calls=rx_datagrams'
	preload=
	needs recvmmsg sendmmsg
	does_not_need "${vm[@]}" "${mem[@]}" memfd_create
}

everywhere
if [ "$UROCE_LOCAL" = none ]; then
	ways_of_datagrams
else
	ways_into_memory
fi
other_user
plain_socket
other_namespace
check "nothing is left" nothing_left lo
finish
