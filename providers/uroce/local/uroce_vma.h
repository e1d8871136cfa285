/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which file is behind a piece of our own memory: the kernel is asked, by
 * PROCMAP_QUERY where it has that (Linux 6.11), else in the text of
 * /proc/self/maps.
 */
#ifndef UROCE_VMA_H
#define UROCE_VMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A piece of a file. */
struct uroce_span {
	dev_t dev;
	uint64_t inode;
	uint64_t offset; /* of its first byte */
};

/**
 * uroce_vma_open() - to be asked, by this process and not by a child of it
 *
 * Return: a descriptor, closed on exec, or -errno.
 */
int uroce_vma_open(void);

/**
 * uroce_vma_find() - the memory file that a piece of memory shows
 * @maps: from uroce_vma_open()
 * @address: of our own memory
 * @bytes: of it; > 0
 * @ret_span: receives which, and where in it
 *
 * Context: any thread, many at the same time.
 * Return: 0; -ENOENT if it is not all of one such file, mapped as it lies in
 * the file, shared, to be read and written.
 */
int uroce_vma_find(int maps, uintptr_t address, size_t bytes,
		   struct uroce_span *ret_span);

/* A line of /proc/self/maps. */
struct uroce_vma {
	uintptr_t begin, end;
	struct uroce_span span; /* of all of it */
	bool suits; /* a memory file, shared, to be read and written */
};

/**
 * uroce_vma_parse() - read a line, without its end
 * @line: or what there was room for of it
 *
 * Return: 0, or -EINVAL if it is none.
 */
int uroce_vma_parse(const char *line, struct uroce_vma *ret_vma);

#endif
