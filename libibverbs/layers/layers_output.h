/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text files that layers create, and lines of text in them. */
#ifndef LAYERS_LAYERS_OUTPUT_H
#define LAYERS_LAYERS_OUTPUT_H

#include <stdbool.h>
#include <sys/stat.h>

#include "layers/explain.h"

/* A file that a layer has created. */
struct layers_output {
	int fd; /* -1: there is no file */
	dev_t device;
	ino_t inode;
};

#define LAYERS_OUTPUT_NONE \
	{                  \
		.fd = -1   \
	}

/**
 * layers_output_open() - create a file; no existing file is changed
 * @pattern: its name: see layers_settings_expand(); empty: no file
 * @warn: prints why there is no file
 *
 * Only the owner of the process may access the file.
 */
void layers_output_open(struct layers_output *file, const char *pattern,
			void (*warn)(const char *fmt, ...));

/**
 * layers_output_is_open() - check the descriptor of a file
 *
 * A program may close descriptors that it does not know, and reuse them.
 */
bool layers_output_is_open(const struct layers_output *file);

/** layers_output_fd() - return its descriptor, or that of standard error */
int layers_output_fd(const struct layers_output *file);

/**
 * layers_output_write() - write a line by one write(2); adds the newline
 *
 * Lines of processes do not mix. An error of the output has no effect. errno
 * is undefined, and the call may be a cancellation point.
 */
void layers_output_write(int fd, struct explain_text *line);

#endif
