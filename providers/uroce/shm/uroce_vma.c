/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lookup of mappings. Memory of one file may consist of several adjacent
 * mappings, since mprotect(2) and mbind(2) split them.
 */
#include "uroce/shm/uroce_vma.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "util/nocancel.h"

/* Adjacent mappings of one lookup, at most. */
#define MAX_VMAS 16
/* Bytes of a line, with the significant part of the name. */
#define LINE 256
/* Some ten thousand lines; the lookup does not find later mappings. */
#define MAX_TEXT (1 << 20)
#define CHUNK	 4096

/* Start of the name of a memory file: memfd_create(2). */
#define MEMORY_FILE "/memfd:"

/* struct procmap_query of Linux 6.11; headers may be older. */
struct query {
	uint64_t size;
	uint64_t flags;
	uint64_t address;
	uint64_t begin;
	uint64_t end;
	uint64_t vma_flags;
	uint64_t page_bytes;
	uint64_t offset;
	uint64_t inode;
	uint32_t dev_major;
	uint32_t dev_minor;
	uint32_t name_bytes;
	uint32_t build_id_bytes;
	uint64_t name;
	uint64_t build_id;
};

#define QUERY	    _IOWR('f', 17, struct query)
#define READABLE    0x01
#define WRITABLE    0x02
#define SHARED	    0x08
#define FILE_BEHIND 0x20

static bool is_memory_file(const char *name)
{
	return !strncmp(name, MEMORY_FILE, strlen(MEMORY_FILE));
}

/* Return: -ENOENT also for other kinds of mappings; -ENOSYS: no PROCMAP_QUERY.
 */
static int vma_ask(int maps, uintptr_t address, struct uroce_vma *ret_vma)
{
	char name[LINE + sizeof(MEMORY_FILE)] = "";
	struct query query = {
		.size = sizeof(query),
		.flags = READABLE | WRITABLE | SHARED | FILE_BEHIND,
		.address = address,
		.name = (uintptr_t)name,
		.name_bytes = sizeof(name),
	};

	if (ioctl(maps, QUERY, &query))
		return errno == ENOTTY || errno == EPERM ? -ENOSYS : -ENOENT;
	*ret_vma = (struct uroce_vma){
		.begin = query.begin,
		.end = query.end,
		.span = { .dev = makedev(query.dev_major, query.dev_minor),
			  .inode = query.inode,
			  .offset = query.offset },
		.suits = is_memory_file(name),
	};
	return 0;
}

int uroce_vma_parse(const char *line, struct uroce_vma *ret_vma)
{
	uint64_t begin, end, offset, inode;
	unsigned int major, minor;
	char rights[5] = "";
	int name = 0;

	if (sscanf(line,
		   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64
		   " %n",
		   &begin, &end, rights, &offset, &major, &minor, &inode,
		   &name) != 7 ||
	    begin >= end || end > UINTPTR_MAX)
		return -EINVAL;
	*ret_vma = (struct uroce_vma){
		.begin = (uintptr_t)begin,
		.end = (uintptr_t)end,
		.span = { .dev = makedev(major, minor),
			  .inode = inode,
			  .offset = offset },
		.suits = !strncmp(rights, "rw", 2) && rights[3] == 's' &&
			 is_memory_file(line + name),
	};
	return 0;
}

/* The text of /proc/self/maps, read in chunks. */
struct text {
	int maps;
	size_t used, filled;
	off_t total; /* bytes that were read */
	char chunk[CHUNK];
};

/* Truncates a long line. */
static int next_line(struct text *text, char line[LINE])
{
	size_t len = 0;
	char byte = '\0';

	while (byte != '\n') {
		if (text->used == text->filled) {
			ssize_t nr = pread(text->maps, text->chunk, CHUNK,
					   text->total);

			if (nr <= 0 || text->total >= MAX_TEXT)
				return -ENOENT;
			text->used = 0;
			text->filled = (size_t)nr;
			text->total += nr;
		}
		byte = text->chunk[text->used++];
		if (len < LINE - 1 && byte != '\n')
			line[len++] = byte;
	}
	line[len] = '\0';
	return 0;
}

/* Reads on to the mapping that ends behind @address; lines are in order. */
static int read_on(struct text *text, uintptr_t address,
		   struct uroce_vma *ret_vma)
{
	char line[LINE];
	int ret;

	do {
		ret = next_line(text, line);
		if (!ret)
			ret = uroce_vma_parse(line, ret_vma);
	} while (!ret && ret_vma->end <= address);
	return ret;
}

static int vma_find(struct text *text, bool by_text, uintptr_t address,
		    struct uroce_vma *ret_vma)
{
	int ret = by_text ? read_on(text, address, ret_vma)
			  : vma_ask(text->maps, address, ret_vma);

	if (ret)
		return ret;
	return ret_vma->suits && ret_vma->begin <= address &&
			       address < ret_vma->end
		       ? 0
		       : -ENOENT;
}

static bool vma_follows(const struct uroce_vma *vma,
			const struct uroce_span *first, uint64_t distance)
{
	return vma->span.dev == first->dev && vma->span.inode == first->inode &&
	       vma->span.offset == first->offset + distance;
}

static int find_all(struct text *text, bool by_text, uintptr_t address,
		    uintptr_t end, struct uroce_span *ret_span)
{
	struct uroce_vma vma;
	struct uroce_span span;
	int ret = vma_find(text, by_text, address, &vma);

	if (ret)
		return ret;
	span = vma.span;
	span.offset += address - vma.begin;
	for (int nr = 1; vma.end < end; nr++) {
		uintptr_t next = vma.end;

		if (nr == MAX_VMAS)
			return -ENOENT;
		ret = vma_find(text, by_text, next, &vma);
		if (ret)
			return ret;
		if (!vma_follows(&vma, &span, next - address))
			return -ENOENT;
	}
	*ret_span = span;
	return 0;
}

int uroce_vma_open(void)
{
	int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

	return maps < 0 ? -errno : maps;
}

int uroce_vma_find(int maps, uintptr_t address, size_t bytes,
		   struct uroce_span *ret_span)
{
	struct text text;
	uintptr_t end;
	int ret;

	if (!bytes || __builtin_add_overflow(address, bytes, &end))
		return -ENOENT;
	text.maps = maps;
	text.used = 0;
	text.filled = 0;
	text.total = 0;
	ret = find_all(&text, false, address, end, ret_span);
	if (ret == -ENOSYS)
		ret = find_all(&text, true, address, end, ret_span);
	return ret;
}
