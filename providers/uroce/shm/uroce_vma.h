/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lookup of the file that is mapped at an address of this process: by
 * PROCMAP_QUERY (Linux 6.11) if the kernel has it, otherwise in the text of
 * /proc/self/maps.
 */
#ifndef UROCE_VMA_H
#define UROCE_VMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A range of a file. */
struct uroce_span {
	dev_t dev;
	uint64_t inode;
	uint64_t offset; /* of the first byte */
};

/**
 * uroce_vma_open() - open /proc/self/maps
 *
 * In a child of fork() the descriptor still shows the memory of the parent.
 *
 * Return: a descriptor, closed on exec, or -errno.
 */
int uroce_vma_open(void);

/**
 * uroce_vma_find() - find the memory file that is mapped at an address
 * @maps: from uroce_vma_open()
 * @address: in memory of this process
 * @bytes: length of the memory; > 0
 * @ret_span: receives the file and the offset in it
 *
 * Context: any thread, many at the same time.
 * Return: 0; -ENOENT unless the whole memory maps a contiguous range of one
 * memory file, shared, readable and writable.
 */
int uroce_vma_find(int maps, uintptr_t address, size_t bytes,
		   struct uroce_span *ret_span);

/* A line of /proc/self/maps. */
struct uroce_vma {
	uintptr_t begin, end;
	struct uroce_span span; /* of the whole mapping */
	bool suits;		/* a memory file, shared, readable, writable */
};

/**
 * uroce_vma_parse() - parse a line of /proc/self/maps
 * @line: without the newline; may be truncated in the name
 *
 * Return: 0, or -EINVAL if the line does not parse.
 */
int uroce_vma_parse(const char *line, struct uroce_vma *ret_vma);

#endif
