/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory that one process makes and others map: memfd_create(2), with a sealed
 * size, so that nobody can cut off what another one looks at.
 */
#ifndef UROCE_MEMFD_H
#define UROCE_MEMFD_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>

/* What both sides count on. */
#define UROCE_MEMFD_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

#ifndef F_SEAL_FUTURE_WRITE /* Linux 5.1 */
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

/**
 * uroce_memfd_create() - make @size bytes of 0, not sealed yet
 *
 * Return: a descriptor, closed on exec, or -errno.
 */
int uroce_memfd_create(size_t size);

/**
 * uroce_memfd_check() - whether a descriptor of somebody else is such memory
 *
 * Return: 0; -EPROTO if it is not sealed or has another size; -errno.
 */
int uroce_memfd_check(int fd, size_t size);

/**
 * uroce_memfd_size() - the size of a memory file of somebody else
 *
 * Of one that cannot shrink, whose pages are there when they are touched, and
 * that may be written to.
 *
 * Return: 0, or -EPROTO if it is none.
 */
int uroce_memfd_size(int fd, uint64_t *ret_bytes);

/**
 * uroce_memfd_map() - map all of it, but for children of fork()
 * @prot: as for mmap(2)
 *
 * Return: 0 or -errno.
 */
int uroce_memfd_map(int fd, size_t size, int prot, void **ret_memory);

#endif
