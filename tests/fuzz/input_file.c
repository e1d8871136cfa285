/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See input_file.h. */
#include "fuzz/input_file.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>

static const uint8_t *file_text;
static size_t file_len;

ssize_t __wrap_text_file_read_at(int dirfd, const char *path, char *buf,
				 size_t size);
ssize_t __wrap_text_file_read_at(int dirfd, const char *path, char *buf,
				 size_t size)
{
	if (file_len >= size)
		return -EOVERFLOW;
	if (file_len)
		memcpy(buf, file_text, file_len);
	buf[file_len] = '\0';
	return (ssize_t)file_len;
}

void input_file_set(const uint8_t *text, size_t len)
{
	file_text = text;
	file_len = len;
}
