/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * preload_listen_first.so - for LD_PRELOAD: rdma_connect() waits until the
 * server has returned from rdma_listen(), for programs whose client may connect
 * before that, and whose server listens several times.
 *
 * The server appends a byte to the file $LISTEN_FIRST for each rdma_listen().
 * The client's rdma_connect() number n waits until the file has n bytes, or
 * $LISTEN_FIRST_MOST bytes if the server listens no more often.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int rdma_listen(void *id, int backlog)
{
	static int (*real)(void *, int);
	int rc;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "rdma_listen");
	rc = real(id, backlog);
	if (!rc) {
		int fd = open(getenv("LISTEN_FIRST"), O_WRONLY | O_APPEND);

		if (fd < 0 || write(fd, "l", 1) != 1)
			abort();
		close(fd);
	}
	return rc;
}

int rdma_connect(void *id, void *conn_param)
{
	static const struct timespec pause = { .tv_nsec = 1000 * 1000 };
	static int (*real)(void *, void *);
	static atomic_int connects;
	const char *most = getenv("LISTEN_FIRST_MOST");
	int listens = atomic_fetch_add(&connects, 1) + 1;
	struct stat file;

	if (most && listens > atoi(most))
		listens = atoi(most);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "rdma_connect");
	while (!stat(getenv("LISTEN_FIRST"), &file) && file.st_size < listens)
		nanosleep(&pause, NULL);
	return real(id, conn_param);
}
