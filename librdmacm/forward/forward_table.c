/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds and loads the distribution's librdmacm. Its name is that of this
 * library, so it is opened by absolute path, and a file that is this library,
 * under any name, is left out.
 */
#define FORWARD_MARK "this file is the librdmacm of AnyVerbs"

#include "forward/forward_table.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Every copy of this library contains it. */
static const char forward_mark[] __attribute__((used)) = FORWARD_MARK;

static struct forward_table forward_functions;
static pthread_once_t forward_once = PTHREAD_ONCE_INIT;

/* A path that cannot be read is not usable either. */
static bool library_is_foreign(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is_foreign = false;
	struct stat st;
	void *bytes;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE,
			     fd, 0);
		if (bytes != MAP_FAILED) {
			is_foreign = !memmem(bytes, (size_t)st.st_size,
					     forward_mark,
					     sizeof(forward_mark) - 1);
			(void)munmap(bytes, (size_t)st.st_size);
		}
	}
	(void)close(fd);
	return is_foreign;
}

/* The first library of the list that can be loaded; NULL: none. */
static void *library_open(const char *paths)
{
	while (*paths) {
		size_t len = strcspn(paths, ":");
		char path[PATH_MAX];
		void *library;

		if (len < sizeof(path)) {
			memcpy(path, paths, len);
			path[len] = 0;
			library = library_is_foreign(path)
					  ? dlopen(path, RTLD_NOW | RTLD_LOCAL)
					  : NULL;
			if (library)
				return library;
		}
		paths += len;
		paths += *paths == ':';
	}
	return NULL;
}

#define FORWARD_RESOLVE(name) \
	*(void **)&forward_functions.name = dlsym(library, #name);

static void forward_load(void)
{
	void *library = library_open(RDMACM_FORWARD_LIBRARIES);

	if (!library)
		return;
	FORWARD_NAMES(FORWARD_RESOLVE)
}

const struct forward_table *forward_table_get(void)
{
	int saved_errno = errno;

	(void)pthread_once(&forward_once, forward_load);
	errno = saved_errno;
	return &forward_functions;
}

int forward_minus1(void)
{
	errno = ENOSYS;
	return -1;
}

void *forward_null(void)
{
	errno = ENOSYS;
	return NULL;
}
