/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A poll loop over the listeners of all members. */
#include "uroce_members.h"

#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#define MAX_MEMBERS 64

static struct {
	pthread_mutex_t mutex; /* held while a member is served */
	struct pollfd
		fds[MAX_MEMBERS + 1]; /* the first one is the wake-up eventfd */
	void (*serve[MAX_MEMBERS + 1])(void *arg);
	void *arg[MAX_MEMBERS + 1];
	nfds_t nr;
	uint32_t rounds; /* number of returns of poll() */
	pthread_cond_t round;
	bool stop;
	pthread_t thread;
} members = {
	.mutex = PTHREAD_MUTEX_INITIALIZER,
	.round = PTHREAD_COND_INITIALIZER,
};

/* Serves members that were registered before poll() and still are. */
static void serve_ready(const struct pollfd *fds, nfds_t nr)
{
	for (nfds_t i = 1; i < nr; i++)
		for (nfds_t k = 1; k < members.nr && fds[i].revents; k++)
			if (members.fds[k].fd == fds[i].fd)
				members.serve[k](members.arg[k]);
}

static void *run(void *arg)
{
	struct pollfd fds[MAX_MEMBERS + 1];
	uint64_t rings;
	nfds_t nr;

	for (;;) {
		(void)pthread_mutex_lock(&members.mutex);
		nr = members.nr;
		for (nfds_t i = 0; i < nr; i++)
			fds[i] = members.fds[i];
		(void)pthread_mutex_unlock(&members.mutex);
		(void)poll(fds, nr, -1);
		(void)pthread_mutex_lock(&members.mutex);
		members.rounds++;
		(void)pthread_cond_broadcast(&members.round);
		if (fds[0].revents)
			(void)!read(fds[0].fd, &rings, sizeof(rings));
		serve_ready(fds, nr);
		if (members.stop)
			break;
		(void)pthread_mutex_unlock(&members.mutex);
	}
	(void)pthread_mutex_unlock(&members.mutex);
	return NULL;
}

static void ring(void)
{
	uint64_t one = 1;

	assert_int_equal(write(members.fds[0].fd, &one, sizeof(one)),
			 sizeof(one));
}

int uroce_members_start(void **state)
{
	members.fds[0].fd = eventfd(0, EFD_CLOEXEC);
	members.fds[0].events = POLLIN;
	members.nr = 1;
	members.stop = false;
	return pthread_create(&members.thread, NULL, run, NULL);
}

int uroce_members_stop(void **state)
{
	(void)pthread_mutex_lock(&members.mutex);
	members.stop = true;
	(void)pthread_mutex_unlock(&members.mutex);
	ring();
	(void)pthread_join(members.thread, NULL);
	(void)close(members.fds[0].fd);
	return 0;
}

void uroce_members_add(int fd, void (*serve)(void *arg), void *arg)
{
	(void)pthread_mutex_lock(&members.mutex);
	assert_true(members.nr <= MAX_MEMBERS);
	members.fds[members.nr] = (struct pollfd){ fd, POLLIN, 0 };
	members.serve[members.nr] = serve;
	members.arg[members.nr] = arg;
	members.nr++;
	(void)pthread_mutex_unlock(&members.mutex);
	ring();
}

/* While poll() waits for a socket, close() does not end the wait. */
void uroce_members_remove(int fd)
{
	uint32_t round;

	(void)pthread_mutex_lock(&members.mutex);
	for (nfds_t i = 1; i < members.nr; i++)
		if (members.fds[i].fd == fd) {
			members.nr--;
			members.fds[i] = members.fds[members.nr];
			members.serve[i] = members.serve[members.nr];
			members.arg[i] = members.arg[members.nr];
			break;
		}
	round = members.rounds;
	ring();
	while (members.rounds == round)
		(void)pthread_cond_wait(&members.round, &members.mutex);
	(void)pthread_mutex_unlock(&members.mutex);
}
