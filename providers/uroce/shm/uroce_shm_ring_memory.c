/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Creation and mapping of the memory of a ring. uroce_shm_ring.c has the data
 * path.
 */
#include "uroce/shm/uroce_shm_ring.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "uroce/shm/uroce_memfd.h"
#include "uroce/shm/uroce_shm_ring_layout.h"
#include "util/nocancel.h"

#define SIZE sizeof(struct uroce_shm_ring_memory)

int uroce_shm_ring_create(void)
{
	int fd = uroce_memfd_create(SIZE);
	int ret;

	if (fd < 0)
		return fd;
	if (fcntl(fd, F_ADD_SEALS, UROCE_MEMFD_SEALS)) {
		ret = -errno;
		(void)close(fd);
		return ret;
	}
	return fd;
}

static int map(int fd, void **ret_memory)
{
	return uroce_memfd_map(fd, SIZE, PROT_READ | PROT_WRITE, ret_memory);
}

int uroce_shm_ring_open_receiver(int fd,
				 struct uroce_shm_ring_receiver *ret_end)
{
	struct uroce_shm_ring_receiver end = {};
	int ret = map(fd, &end.memory);

	if (!ret)
		*ret_end = end;
	return ret;
}

/* Enhanced REP MOVSB/STOSB: Intel SDM, CPUID leaf 7, EBX. */
static bool has_erms(void)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int eax, ebx = 0, ecx, edx;

	return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) &&
	       ebx & (1u << 9);
#else
	return false;
#endif
}

int uroce_shm_ring_open_sender(int fd, struct uroce_shm_ring_sender *ret_end)
{
	void *memory;
	int ret = uroce_memfd_check(fd, SIZE);

	if (!ret)
		ret = map(fd, &memory);
	if (!ret)
		*ret_end = (struct uroce_shm_ring_sender){
			.memory = memory,
			.has_erms = has_erms(),
		};
	return ret;
}

void uroce_shm_ring_close_receiver(struct uroce_shm_ring_receiver *end)
{
	if (end->memory)
		(void)munmap(end->memory, SIZE);
	end->memory = NULL;
}

void uroce_shm_ring_close_sender(struct uroce_shm_ring_sender *end)
{
	if (end->memory)
		(void)munmap(end->memory, SIZE);
	uroce_shm_ring_forget_sender(end);
}
