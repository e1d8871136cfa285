/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* See explain_fixture.h. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libibverbs/layers/explain_fixture.h"

static int capture_fd = -1;
static int original_fd = -1;

/* The messages of assertions, at the end of a process whose test has failed. */
static void capture_print_rest(void)
{
	const char *text = explain_capture_take();

	if (write(original_fd, text, strlen(text)) < 0)
		_exit(1);
}

void explain_capture_start(void)
{
	original_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	assert_true(original_fd >= 0);
	assert_int_equal(atexit(capture_print_rest), 0);
	capture_fd = memfd_create("stderr", MFD_CLOEXEC);
	assert_true(capture_fd >= 0);
	assert_int_equal(dup2(capture_fd, STDERR_FILENO), STDERR_FILENO);
}

const char *explain_capture_take(void)
{
	static char text[65536];
	ssize_t len;

	(void)fflush(stderr);
	len = pread(capture_fd, text, sizeof(text) - 1, 0);
	assert_true(len >= 0);
	text[len] = '\0';
	assert_int_equal(ftruncate(capture_fd, 0), 0);
	assert_int_equal(lseek(capture_fd, 0, SEEK_SET), 0);
	return text;
}

void assert_explained(const char *first, ...)
{
	const char *text = explain_capture_take();
	const char *newline = strchr(text, '\n');
	va_list args;

	if (strncmp(text, "verbs-explain: ", strlen("verbs-explain: ")) != 0 ||
	    !newline || newline[1])
		fail_msg("not one message: \"%s\"", text);
	va_start(args, first);
	for (; first; first = va_arg(args, const char *))
		if (!strstr(text, first))
			fail_msg("no \"%s\" in \"%s\"", first, text);
	va_end(args);
}

void assert_silent(void)
{
	assert_string_equal(explain_capture_take(), "");
}
