/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks the headers of a shared object: its kind, its machine, and that the
 * file is complete. Also finds the folder of modules. core/provider_module.c
 * and core/layer_module.c call it.
 */
#include "core/module_file.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than any linker makes. */
#define MAX_SEGMENTS 64

/* The ELF header of the library itself; the linker defines this name. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/* @len: bytes of the header that the file contains */
static const char *module_check_header(const ElfW(Ehdr) * header, size_t len)
{
	if (len < SELFMAG || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return "is not a module";
	if (len < sizeof(*header))
		return "is truncated";
	if (memcmp(header->e_ident, __ehdr_start.e_ident, EI_VERSION) != 0 ||
	    header->e_machine != __ehdr_start.e_machine)
		return "is not for this machine";
	if (header->e_phentsize != sizeof(ElfW(Phdr)) ||
	    header->e_phnum > MAX_SEGMENTS)
		return "is not a module";
	return NULL;
}

/* Whether each segment ends within the file. */
static bool module_segments_fit_file(int fd, const ElfW(Ehdr) * header,
				     uint64_t size)
{
	ElfW(Phdr) segments[MAX_SEGMENTS];
	size_t len = header->e_phnum * sizeof(segments[0]);

	if (pread(fd, segments, len, (off_t)header->e_phoff) != (ssize_t)len)
		return false;
	for (size_t i = 0; i < header->e_phnum; i++) {
		uint64_t end;

		if (segments[i].p_type == PT_LOAD &&
		    (__builtin_add_overflow((uint64_t)segments[i].p_offset,
					    (uint64_t)segments[i].p_filesz,
					    &end) ||
		     end > size))
			return false;
	}
	return true;
}

static const char *module_check_fd(int fd)
{
	const char *problem;
	ElfW(Ehdr) header;
	struct stat st;
	ssize_t len;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return "is not a file";
	len = pread(fd, &header, sizeof(header), 0);
	if (len < 0)
		return strerror(errno);
	problem = module_check_header(&header, (size_t)len);
	if (problem)
		return problem;
	return module_segments_fit_file(fd, &header, (uint64_t)st.st_size)
		       ? NULL
		       : "is truncated";
}

int verbs_module_file_check(const char *path, const char **ret_problem)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const char *problem;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return -ENOENT;
	if (fd < 0) {
		*ret_problem = strerror(errno);
		return -ENOEXEC;
	}
	problem = module_check_fd(fd);
	(void)close(fd); /* was only read */
	if (!problem)
		return 0;
	*ret_problem = problem;
	return -ENOEXEC;
}

bool verbs_module_folder_beside(char *buf, size_t size)
{
	const char *slash;
	Dl_info info;
	int len;

	if (!dladdr(&__ehdr_start, &info) || !info.dli_fname)
		return false;
	slash = strrchr(info.dli_fname, '/');
	if (!slash)
		return false;
	len = snprintf(buf, size, "%.*s/libibverbs",
		       (int)(slash - info.dli_fname), info.dli_fname);
	return len > 0 && (size_t)len < size;
}
