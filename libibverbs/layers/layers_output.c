/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See layers_output.h. */
#include "layers/layers_output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "layers/layers_settings.h"

static bool output_create(struct layers_output *file, const char *path)
{
	struct stat stat;

	file->fd = open(path,
			O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW |
				O_CLOEXEC,
			0600);
	if (file->fd < 0 || fstat(file->fd, &stat) != 0)
		return false;
	file->device = stat.st_dev;
	file->inode = stat.st_ino;
	return true;
}

void layers_output_open(struct layers_output *file, const char *pattern,
			void (*warn)(const char *fmt, ...))
{
	char path[PATH_MAX];

	if (!*pattern)
		return;
	if (!layers_settings_expand(pattern, path, sizeof(path)))
		warn("the name %s is too long", pattern);
	else if (!output_create(file, path))
		warn("cannot create %s: %s", path, strerror(errno));
}

bool layers_output_is_open(const struct layers_output *file)
{
	struct stat stat;

	return file->fd >= 0 && fstat(file->fd, &stat) == 0 &&
	       stat.st_dev == file->device && stat.st_ino == file->inode;
}

int layers_output_fd(const struct layers_output *file)
{
	return layers_output_is_open(file) ? file->fd : STDERR_FILENO;
}

void layers_output_write(int fd, struct explain_text *line)
{
	if (line->len == sizeof(line->buf) - 1)
		line->len--;
	line->buf[line->len++] = '\n';
	/* There is no other place for an error of the output. */
	if (write(fd, line->buf, line->len) < 0)
		errno = 0;
}
