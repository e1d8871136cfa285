/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * preload_server_first.so - for LD_PRELOAD: a client waits for its server.
 * rdma_connect() waits until the server has returned from rdma_listen(), for
 * programs whose client may connect before that, and whose server listens
 * several times. rdma_get_cm_event() returns RDMA_CM_EVENT_ESTABLISHED to the
 * client when the server has returned from rdma_accept(): siw_accept() of the
 * kernel sends its reply before it watches the socket, so it never reads a
 * message that arrives between the two, unless another one follows.
 *
 * The server appends a byte to the file $SERVER_STEPS for each rdma_listen()
 * and each rdma_accept(). The client's rdma_connect() number n waits for n of
 * the former, or for $SERVER_LISTENS if the server listens no more often; its
 * connection number n waits for n of the latter.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <rdma/rdma_cma.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LISTENS = 'l', ACCEPTS = 'a' };

static atomic_int connects;

/* Appends the byte of the step to the file. */
static void step_done(char step)
{
	int fd = open(getenv("SERVER_STEPS"), O_WRONLY | O_APPEND);

	if (fd < 0 || write(fd, &step, 1) != 1)
		abort();
	close(fd);
}

/* Returns how often the server has done the step; INT_MAX without a file. */
static int steps_done(char step)
{
	char bytes[4096];
	int fd = open(getenv("SERVER_STEPS"), O_RDONLY);
	ssize_t length;
	int steps = 0;

	if (fd < 0)
		return INT_MAX;
	while ((length = read(fd, bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < length; i++)
			steps += bytes[i] == step;
	close(fd);
	return steps;
}

static void wait_for_steps(char step, int steps)
{
	static const struct timespec pause = { .tv_nsec = 1000 * 1000 };

	while (steps_done(step) < steps)
		nanosleep(&pause, NULL);
}

int rdma_listen(struct rdma_cm_id *id, int backlog)
{
	static int (*real)(struct rdma_cm_id *, int);
	int rc;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "rdma_listen");
	rc = real(id, backlog);
	if (!rc)
		step_done(LISTENS);
	return rc;
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)
{
	static int (*real)(struct rdma_cm_id *, struct rdma_conn_param *);
	int rc;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "rdma_accept");
	rc = real(id, conn_param);
	if (!rc)
		step_done(ACCEPTS);
	return rc;
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *conn_param)
{
	static int (*real)(struct rdma_cm_id *, struct rdma_conn_param *);
	const char *most = getenv("SERVER_LISTENS");
	int listens = atomic_fetch_add(&connects, 1) + 1;

	if (most && listens > atoi(most))
		listens = atoi(most);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "rdma_connect");
	wait_for_steps(LISTENS, listens);
	return real(id, conn_param);
}

int rdma_get_cm_event(struct rdma_event_channel *channel,
		      struct rdma_cm_event **event)
{
	static int (*real)(struct rdma_event_channel *,
			   struct rdma_cm_event **);
	static atomic_int established;
	int rc;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "rdma_get_cm_event");
	rc = real(channel, event);
	if (!rc && atomic_load(&connects) &&
	    (*event)->event == RDMA_CM_EVENT_ESTABLISHED)
		wait_for_steps(ACCEPTS, atomic_fetch_add(&established, 1) + 1);
	return rc;
}
