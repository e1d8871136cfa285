/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Cross memory attach (CMA): copies to and from the memory of another process,
 * without its help. Whether the kernel permits it depends on user, Yama,
 * seccomp, namespaces and more, so it is tried with each process.
 *
 *   MEM  /proc/<pid>/mem: fast up to about a page, then slow, because the
 *        kernel copies through a page of its own. The open file stays the
 *        memory of that program, whatever happens to the process.
 *   VM   process_vm_readv(2), process_vm_writev(2): for longer copies. They
 * take a pid. When the peer has died, another process may have it; after
 *        execve(2), another program has it.
 *
 * No check before a VM call can exclude that, because the process may end
 * between the two. The end of its socket does not even show it reliably: a
 * child without fork handlers (_Fork(3), clone(2)) keeps the socket open. So
 * each VM call itself accesses the nonce of the peer (uroce_nonce.h) before the
 * data: a READ reads and compares it, a WRITE writes its value once more. The
 * kernel looks up the memory of a pid once for a call, copies the elements in
 * order, and ends the call at the first one that is not mapped. In any other
 * process that is the nonce, so nothing of it is read or written. The process
 * would need writable memory at the nonce's address, one random page of 2^32 in
 * a range that processes do not use, to be the target of a WRITE.
 */
#ifndef UROCE_CMA_H
#define UROCE_CMA_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "uroce/shm/uroce_nonce.h"

enum uroce_cma_kind {
	UROCE_CMA_VM = 1 << 0,
	UROCE_CMA_MEM = 1 << 1,
};

struct uroce_cma {
	int pid;
	int mem; /* -1: none */
	bool vm;
	struct uroce_nonce nonce; /* of the process */
};

/* Remote bytes, and local SGEs of the same total length. */
struct uroce_transfer {
	uint64_t address;
	uint32_t bytes;
	bool write; /* to the remote memory */
	const struct iovec *iov;
	uint32_t nr_iov; /* up to UROCE_CMA_MAX_IOV */
};

#define UROCE_CMA_MAX_IOV 32

/**
 * uroce_cma_open() - find out which kinds of CMA the kernel permits
 * @pid: the process in this pid namespace; 0: it is not in the namespace
 * @kinds: permitted kinds: enum uroce_cma_kind
 * @nonce: the nonce of the process; VM is used only if its address is unique
 * @ret_cma: receives the result, to be closed with uroce_cma_close()
 *
 * Return: 0, or -EPERM if the kernel permits none.
 */
int uroce_cma_open(int pid, unsigned int kinds, const struct uroce_nonce *nonce,
		   struct uroce_cma *ret_cma);

void uroce_cma_close(struct uroce_cma *cma);

/** uroce_cma_is_by_pid() - return whether a copy of @bytes takes the pid */
bool uroce_cma_is_by_pid(const struct uroce_cma *cma, uint32_t bytes);

/**
 * uroce_cma_copy() - copy to or from the remote memory
 *
 * A process that polls the last byte of a WRITE sees the whole WRITE with it:
 * the last word is written after the rest.
 *
 * Return: 0; -EPERM if the kernel permits it no longer; or another -errno if
 * the memory is not mapped or the process is gone. Then some bytes may have
 * been copied, but none to or from another process.
 */
int uroce_cma_copy(const struct uroce_cma *cma,
		   const struct uroce_transfer *transfer);

#endif
