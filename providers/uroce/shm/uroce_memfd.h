/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory that one process creates and others map: memfd_create(2), with a
 * sealed size, so that no process can truncate memory that another one reads.
 */
#ifndef UROCE_MEMFD_H
#define UROCE_MEMFD_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>

/* Seals that both processes rely on. */
#define UROCE_MEMFD_SEALS (F_SEAL_SHRINK | F_SEAL_GROW)

#ifndef F_SEAL_FUTURE_WRITE /* Linux 5.1 */
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

/**
 * uroce_memfd_create() - create a file of @size zero bytes, not sealed yet
 *
 * Return: a descriptor, closed on exec, or -errno.
 */
int uroce_memfd_create(size_t size);

/**
 * uroce_memfd_check() - check size and seals of a file from another process
 *
 * Return: 0; -EPROTO if the file has another size or lacks a seal; -errno.
 */
int uroce_memfd_check(int fd, size_t size);

/**
 * uroce_memfd_size() - get the size of a file that can be mapped safely
 *
 * Such a file cannot shrink, is writable, and is in tmpfs, so that its pages
 * are available when they are touched.
 *
 * Return: 0, or -EPROTO for another file.
 */
int uroce_memfd_size(int fd, uint64_t *ret_bytes);

/**
 * uroce_memfd_map() - map a whole file; children of fork() do not inherit it
 * @prot: as for mmap(2)
 *
 * Return: 0 or -errno.
 */
int uroce_memfd_map(int fd, size_t size, int prot, void **ret_memory);

#endif
