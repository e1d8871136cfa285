/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * preload_late_connect.so - for LD_PRELOAD: rdma_connect() that begins later,
 * for programs whose client may connect before its server listens.
 */
#include <dlfcn.h>
#include <time.h>

/* A server needs microseconds to listen; this is for a busy machine. */
static const struct timespec delay = { .tv_nsec = 200 * 1000 * 1000 };

int rdma_connect(void *id, void *conn_param)
{
	static int (*real)(void *, void *);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "rdma_connect");
	nanosleep(&delay, NULL);
	return real(id, conn_param);
}
