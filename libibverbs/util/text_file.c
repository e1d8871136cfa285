/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads small text files with one or two read calls: those of sysfs, and driver
 * configuration files.
 */
#include "util/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Reads up to the end of the file. A full buffer is an overflow. */
static ssize_t text_file_read_all(int fd, char *buf, size_t size)
{
	size_t used = 0;

	while (used < size) {
		ssize_t n = read(fd, buf + used, size - used);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (n == 0)
			return (ssize_t)used;
		used += (size_t)n;
	}
	return -EOVERFLOW;
}

ssize_t text_file_read_at(int dirfd, const char *path, char *buf, size_t size)
{
	ssize_t len;
	int fd;

	fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;

	len = text_file_read_all(fd, buf, size);
	(void)close(fd); /* nothing was written */
	if (len < 0)
		return len;

	if (len > 0 && buf[len - 1] == '\n')
		len--;
	buf[len] = '\0';
	return len;
}
