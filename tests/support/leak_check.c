/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Compares allocated blocks and open descriptors: see support/leak_check.h. */
#include "support/leak_check.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "support/alloc_fail.h"

/* last: cmocka.h needs the headers above */
#include <cmocka.h>

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

void leak_check_begin(struct leak_check *ret_check)
{
	ret_check->nr_blocks = alloc_fail_nr_blocks();
	for (int fd = 0; fd < LEAK_CHECK_MAX_FD; fd++)
		ret_check->open[fd] = is_open(fd);
}

bool leak_check_difference(const struct leak_check *check, char *text,
			   size_t size)
{
	size_t nr_blocks = alloc_fail_nr_blocks();

	if (nr_blocks != check->nr_blocks) {
		(void)snprintf(text, size, "%zu blocks, %zu at the begin",
			       nr_blocks, check->nr_blocks);
		return true;
	}
	for (int fd = 0; fd < LEAK_CHECK_MAX_FD; fd++) {
		bool now = is_open(fd);

		if (now == check->open[fd])
			continue;
		(void)snprintf(text, size, "descriptor %d is %s", fd,
			       now ? "open" : "closed");
		return true;
	}
	return false;
}

void leak_check_end(const struct leak_check *check)
{
	char text[80];

	if (leak_check_difference(check, text, sizeof(text)))
		fail_msg("leak: %s", text);
}
