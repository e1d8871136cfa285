/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A module that creates the file that $LANE_MARKER names when a program loads
 * it. errors.sh offers it as a provider to programs that must not load it.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void leave_mark(void)
{
	const char *path = getenv("LANE_MARKER");
	int fd;

	if (!path)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd >= 0)
		close(fd);
}
