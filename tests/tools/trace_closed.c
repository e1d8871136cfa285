/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * trace_closed FILE: opens the first device, closes the descriptor of its
 * trace, as daemons close all that they do not know, and opens FILE, which gets
 * the same descriptor. Then a thread creates a CQ, for which the trace needs
 * space.
 */
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct ibv_context *open_first_device(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = list && list[0] ? ibv_open_device(list[0])
						  : NULL;

	if (list)
		ibv_free_device_list(list);
	return ctx;
}

/* Return: the descriptor of the trace, or -1. */
static int find_trace(void)
{
	char path[64], target[4096];

	for (int fd = 3; fd < 1024; fd++) {
		ssize_t len;

		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		len = readlink(path, target, sizeof(target));
		if (len > 6 && memcmp(target + len - 6, ".trace", 6) == 0)
			return fd;
	}
	return -1;
}

static void *create_cq(void *ctx)
{
	struct ibv_cq *cq = ibv_create_cq(ctx, 1, NULL, NULL, 0);

	return cq && ibv_destroy_cq(cq) == 0 ? ctx : NULL;
}

int main(int argc, char **argv)
{
	struct ibv_context *ctx = open_first_device();
	int fd = find_trace();
	pthread_t thread;
	void *done = NULL;

	if (argc != 2 || !ctx || fd < 0 || close(fd) != 0 ||
	    open(argv[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600) != fd)
		return 1;
	if (pthread_create(&thread, NULL, create_cq, ctx) != 0 ||
	    pthread_join(thread, &done) != 0 || !done)
		return 1;
	return ibv_close_device(ctx) != 0;
}
