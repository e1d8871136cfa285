/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Into the memory of another process, and out of it, without its help. Whether
 * that is allowed depends on user, Yama, seccomp, namespaces and more, so it is
 * tried with each process and never assumed.
 *
 *   MEM  its /proc/<pid>/mem: fast up to a page or so, then slow, as all goes
 *        through a page of the kernel's. It stays the memory of that program,
 *        whatever becomes of the process.
 *   VM   process_vm_readv(2), process_vm_writev(2): for all else. They take a
 *        pid. When the peer has died, another process may have it; after
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
#ifndef UROCE_REACH_H
#define UROCE_REACH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "uroce/local/uroce_nonce.h"

enum uroce_reach_way {
	UROCE_REACH_VM = 1 << 0,
	UROCE_REACH_MEM = 1 << 1,
};

struct uroce_reach {
	int pid;
	int mem; /* -1: none */
	bool vm;
	struct uroce_nonce nonce; /* of the process */
};

/* Bytes there and pieces of memory here, equally long. */
struct uroce_transfer {
	uint64_t address;
	uint32_t bytes;
	bool write; /* to there */
	const struct iovec *iov;
	uint32_t nr_iov; /* up to UROCE_REACH_PIECES */
};

#define UROCE_REACH_PIECES 32

/**
 * uroce_reach_open() - try which ways there are
 * @pid: the process, as it is seen from here; 0: it is not
 * @ways: that may be used: enum uroce_reach_way
 * @nonce: the nonce of the process; VM is used only if its address is unique
 * @ret_reach: receives it; to be given back to uroce_reach_close()
 *
 * Return: 0, or -EPERM if there is none.
 */
int uroce_reach_open(int pid, unsigned int ways,
		     const struct uroce_nonce *nonce,
		     struct uroce_reach *ret_reach);

void uroce_reach_close(struct uroce_reach *reach);

/** uroce_reach_is_by_pid() - whether @bytes would be copied by number */
bool uroce_reach_is_by_pid(const struct uroce_reach *reach, uint32_t bytes);

/**
 * uroce_reach_copy() - do it
 *
 * Who looks at the last byte of what is written sees all of it with it: its
 * last word is written when the rest is there.
 *
 * Return: 0; -EPERM if it is not allowed any more; or another -errno, and some
 * bytes may have been copied, but none to or from another process: the memory
 * is not there, or the process is gone.
 */
int uroce_reach_copy(const struct uroce_reach *reach,
		     const struct uroce_transfer *transfer);

#endif
