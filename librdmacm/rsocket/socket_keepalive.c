/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Keepalive messages. A thread sends an RDMA write without data; the transport
 * retransmits it, and ends the connection if there is no ACK. The thread knows
 * sockets by their descriptors, so that a socket may be closed at any time.
 */
#include "rsocket/socket_keepalive.h"

#include "rsocket/socket_table.h"
#include "rsocket/socket_thread.h"
#include "rsocket/socket_wait.h"
#include "rsocket/stream_qp.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define KEEPALIVE_MIN_ENTRIES 16

struct keepalive_entry {
	int fd;
	uint64_t deadline_us;
};

/* Held for a few instructions; no other lock is taken under it. */
static struct verbs_mutex keepalive_mutex = VERBS_MUTEX_INIT;
static struct keepalive_entry *keepalive_entries GUARDED_BY(keepalive_mutex);
static uint32_t keepalive_nr GUARDED_BY(keepalive_mutex);
static uint32_t keepalive_max GUARDED_BY(keepalive_mutex);
static int keepalive_timer GUARDED_BY(keepalive_mutex) = -1;

static struct keepalive_entry *keepalive_find_locked(int fd)
	REQUIRES(keepalive_mutex)
{
	for (uint32_t i = 0; i < keepalive_nr; i++) {
		if (keepalive_entries[i].fd == fd)
			return &keepalive_entries[i];
	}
	return NULL;
}

static int keepalive_add_locked(int fd, uint64_t deadline_us)
	REQUIRES(keepalive_mutex)
{
	uint32_t max = keepalive_max ? keepalive_max * 2
				     : KEEPALIVE_MIN_ENTRIES;
	struct keepalive_entry *entries = keepalive_entries;

	if (keepalive_nr == keepalive_max) {
		entries = realloc(entries, max * sizeof(*entries));
		if (!entries)
			return -ENOMEM;
		keepalive_entries = entries;
		keepalive_max = max;
	}
	entries[keepalive_nr++] =
		(struct keepalive_entry){ .fd = fd,
					  .deadline_us = deadline_us };
	return 0;
}

/* Takes an entry whose time has come; -1: none. */
static int keepalive_take_locked(uint64_t now_us) REQUIRES(keepalive_mutex)
{
	for (uint32_t i = 0; i < keepalive_nr; i++) {
		int fd = keepalive_entries[i].fd;

		if (keepalive_entries[i].deadline_us > now_us)
			continue;
		keepalive_entries[i] = keepalive_entries[--keepalive_nr];
		return fd;
	}
	return -1;
}

/* Without entries, the timer is not armed. */
static void keepalive_set_timer_locked(void) REQUIRES(keepalive_mutex)
{
	struct itimerspec time = { 0 };
	uint64_t first_us = UINT64_MAX;

	for (uint32_t i = 0; i < keepalive_nr; i++) {
		if (keepalive_entries[i].deadline_us < first_us)
			first_us = keepalive_entries[i].deadline_us;
	}
	if (keepalive_nr) {
		time.it_value.tv_sec = (time_t)(first_us / 1000000);
		time.it_value.tv_nsec = (long)(first_us % 1000000) * 1000;
	}
	(void)timerfd_settime(keepalive_timer, TFD_TIMER_ABSTIME, &time, NULL);
}

static uint64_t seconds_from_now(int seconds)
{
	return socket_clock_us() + (uint64_t)seconds * 1000000;
}

/* Returns the seconds until the next message, 0: there is none. */
static int keepalive_send(int fd)
{
	struct rsocket *socket = socket_get(fd);
	int interval_s = 0;

	if (!socket)
		return 0;
	verbs_mutex_lock(&socket->lock);
	if (socket->ops->type == SOCK_STREAM && socket->options.keeps_alive) {
		interval_s = socket->options.keep_idle;
		stream_qp_keepalive_locked(socket);
	}
	verbs_mutex_unlock(&socket->lock);
	socket_put(socket);
	return interval_s;
}

static void keepalive_send_all(void)
{
	uint64_t now_us = socket_clock_us();
	int fd, interval_s;

	verbs_mutex_lock(&keepalive_mutex);
	while ((fd = keepalive_take_locked(now_us)) >= 0) {
		verbs_mutex_unlock(&keepalive_mutex);
		interval_s = keepalive_send(fd);
		verbs_mutex_lock(&keepalive_mutex);
		/* An entry for the descriptor may be new. */
		if (interval_s && !keepalive_find_locked(fd))
			(void)keepalive_add_locked(
				fd, seconds_from_now(interval_s));
	}
	keepalive_set_timer_locked();
	verbs_mutex_unlock(&keepalive_mutex);
}

static void *keepalive_run(void *arg)
{
	int timer = *(const int *)arg;
	uint64_t count;

	free(arg);
	for (;;) {
		if (read(timer, &count, sizeof(count)) == sizeof(count))
			keepalive_send_all();
		else if (errno != EINTR)
			return NULL;
	}
}

static int keepalive_start_locked(void) REQUIRES(keepalive_mutex)
{
	int *timer = malloc(sizeof(*timer));
	int ret;

	if (!timer)
		return -ENOMEM;
	*timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	keepalive_timer = *timer;
	if (keepalive_timer < 0) {
		ret = -errno;
		free(timer);
		return ret;
	}
	ret = socket_thread_start(keepalive_run, timer);
	if (ret) {
		free(timer);
		(void)close(keepalive_timer);
		keepalive_timer = -1;
	}
	return ret;
}

int socket_keepalive_watch(int fd, int interval_s)
{
	uint64_t deadline_us = seconds_from_now(interval_s);
	struct keepalive_entry *entry;
	int ret = 0;

	verbs_mutex_lock(&keepalive_mutex);
	if (keepalive_timer < 0)
		ret = keepalive_start_locked();
	entry = keepalive_find_locked(fd);
	if (!ret && entry)
		entry->deadline_us = deadline_us;
	else if (!ret)
		ret = keepalive_add_locked(fd, deadline_us);
	if (!ret)
		keepalive_set_timer_locked();
	verbs_mutex_unlock(&keepalive_mutex);
	return ret;
}
