/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The system calls, and the choice between them. */
#include "uroce/shm/uroce_cma.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/nocancel.h"

/* Up to this length /proc/<pid>/mem is faster (measured: 4 to 16 KB). */
#define MEM_BYTES 4096
#define WORD	  8 /* is stored atomically */

/*
 * On x86, stores become visible in program order, and the kernel copies one SGE
 * after the other. On other machines a call of its own writes the last word.
 */
#if defined(__x86_64__) || defined(__i386__)
#define PIECES_ARE_ORDERED true
#else
#define PIECES_ARE_ORDERED false
#endif

static int check(ssize_t ret, uint64_t bytes)
{
	if (ret < 0)
		return -errno;
	return (uint64_t)ret == bytes ? 0 : -EFAULT;
}

/* The nonce is the first element, so the data is the peer's: uroce_cma.h. */
static int copy_vm(const struct uroce_cma *cma,
		   const struct uroce_transfer *transfer, uint32_t tail)
{
	const uint32_t head = transfer->bytes - tail;
	uint64_t nonce = transfer->write ? cma->nonce.value : 0;
	const struct iovec there[] = {
		{ (void *)(uintptr_t)cma->nonce.address, sizeof(nonce) },
		{ (void *)(uintptr_t)transfer->address, head },
		{ (void *)(uintptr_t)(transfer->address + head), tail },
	};
	const unsigned long nr_there = tail ? 3 : 2;
	struct iovec here[UROCE_CMA_MAX_IOV + 1];
	const unsigned long nr_here = transfer->nr_iov + 1;
	ssize_t copied;

	here[0] = (struct iovec){ &nonce, sizeof(nonce) };
	memcpy(&here[1], transfer->iov, transfer->nr_iov * sizeof(here[0]));
	if (transfer->write)
		copied = process_vm_writev(cma->pid, here, nr_here, there,
					   nr_there, 0);
	else
		copied = process_vm_readv(cma->pid, here, nr_here, there,
					  nr_there, 0);
	if (copied >= (ssize_t)sizeof(nonce) && nonce != cma->nonce.value)
		return -ESRCH;
	return check(copied, transfer->bytes + sizeof(nonce));
}

/* Writes each SGE by itself; the tail is one of them, or is in the last. */
static int copy_mem(const struct uroce_cma *cma,
		    const struct uroce_transfer *transfer, uint32_t tail)
{
	struct iovec here[UROCE_CMA_MAX_IOV + 1];
	uint32_t nr = transfer->nr_iov;
	off_t offset = (off_t)transfer->address;
	struct iovec *last = &here[nr - 1];

	memcpy(here, transfer->iov, nr * sizeof(here[0]));
	if (tail && last->iov_len > tail) {
		here[nr].iov_base =
			(uint8_t *)last->iov_base + last->iov_len - tail;
		here[nr++].iov_len = tail;
		last->iov_len -= tail;
	}
	if (transfer->write)
		return check(pwritev(cma->mem, here, (int)nr, offset),
			     transfer->bytes);
	return check(preadv(cma->mem, here, (int)nr, offset), transfer->bytes);
}

static bool is_for_mem(const struct uroce_cma *cma, uint32_t bytes)
{
	return cma->mem >= 0 && (bytes <= MEM_BYTES || !cma->vm);
}

bool uroce_cma_is_by_pid(const struct uroce_cma *cma, uint32_t bytes)
{
	return !is_for_mem(cma, bytes);
}

/* Number of bytes that must be written last. */
static uint32_t tail_of(const struct uroce_transfer *transfer)
{
	uint64_t last = transfer->address + transfer->bytes - 1;

	uint32_t tail = (uint32_t)(last % WORD) + 1;

	return transfer->write && tail < transfer->bytes ? tail : 0;
}

static int copy(const struct uroce_cma *cma,
		const struct uroce_transfer *transfer, uint32_t tail)
{
	return is_for_mem(cma, transfer->bytes) ? copy_mem(cma, transfer, tail)
						: copy_vm(cma, transfer, tail);
}

/* Where the kernel does not order SGEs: all but the tail, then the tail. */
static int copy_in_two(const struct uroce_cma *cma,
		       const struct uroce_transfer *transfer, uint32_t tail)
{
	struct uroce_transfer head = *transfer, rest = *transfer;
	struct iovec here[UROCE_CMA_MAX_IOV], end[UROCE_CMA_MAX_IOV];
	uint32_t left = transfer->bytes - tail, fence = 0;
	int ret;

	head.bytes = left;
	head.iov = here;
	head.nr_iov = 0;
	rest.address += left;
	rest.bytes = tail;
	rest.iov = end;
	rest.nr_iov = 0;
	for (uint32_t i = 0; i < transfer->nr_iov; i++) {
		struct iovec element = transfer->iov[i];
		size_t part = element.iov_len < left ? element.iov_len : left;

		if (part)
			here[head.nr_iov++] =
				(struct iovec){ element.iov_base, part };
		left -= (uint32_t)part;
		if (part < element.iov_len)
			end[rest.nr_iov++] = (struct iovec){
				(uint8_t *)element.iov_base + part,
				element.iov_len - part,
			};
	}
	ret = copy(cma, &head, 0);
	/* between the stores of the two calls */
	(void)__atomic_exchange_n(&fence, 1, __ATOMIC_SEQ_CST);
	return ret ? ret : copy(cma, &rest, 0);
}

int uroce_cma_copy(const struct uroce_cma *cma,
		   const struct uroce_transfer *transfer)
{
	uint32_t tail = tail_of(transfer);

	if (transfer->address > LONG_MAX)
		return -EFAULT;
	if (tail && !PIECES_ARE_ORDERED)
		return copy_in_two(cma, transfer, tail);
	return copy(cma, transfer, tail);
}

static bool works(const struct uroce_cma *cma)
{
	uint64_t found = ~cma->nonce.value;
	struct iovec iov = { &found, sizeof(found) };
	struct uroce_transfer transfer = {
		.address = cma->nonce.address,
		.bytes = sizeof(found),
		.iov = &iov,
		.nr_iov = 1,
	};

	return !uroce_cma_copy(cma, &transfer) && found == cma->nonce.value;
}

static int open_mem(int pid)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	return open(path, O_RDWR | O_CLOEXEC);
}

int uroce_cma_open(int pid, unsigned int kinds, const struct uroce_nonce *nonce,
		   struct uroce_cma *ret_cma)
{
	struct uroce_cma vm = {
		.pid = pid,
		.mem = -1,
		.vm = true,
		.nonce = *nonce,
	};
	struct uroce_cma mem = { .pid = pid, .mem = -1, .nonce = *nonce };

	if (pid <= 0)
		return -EPERM;
	vm.vm = kinds & UROCE_CMA_VM && nonce->is_unique && works(&vm);
	if (kinds & UROCE_CMA_MEM)
		mem.mem = open_mem(pid);
	if (mem.mem >= 0 && !works(&mem))
		uroce_cma_close(&mem);
	if (mem.mem < 0 && !vm.vm)
		return -EPERM;
	mem.vm = vm.vm;
	*ret_cma = mem;
	return 0;
}

void uroce_cma_close(struct uroce_cma *cma)
{
	if (cma->mem >= 0)
		(void)close(cma->mem);
	cma->mem = -1;
	cma->vm = false;
}
