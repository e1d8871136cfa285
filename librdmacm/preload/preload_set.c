/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions of epoll(7). A set is one of the kernel, which knows all
 * descriptors but rsockets. With the first rsocket, it gets a set of librdmacm,
 * which has the rsockets and the descriptor of the kernel's set.
 */
#include "preload/preload_set.h"

#include "preload/preload_connect.h"
#include "preload/preload_file.h"
#include "preload/preload_fork.h"
#include "preload/preload_libc.h"
#include "preload/preload_mask.h"
#include "preload/preload_poll.h"
#include "util/list.h"

#include <errno.h>
#include <limits.h>
#include <rdma/rsocket.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>

struct set_entry {
	struct list_node node;
	int fd; /* of the application */
	struct epoll_event event;
};

struct epoll_set {
	struct list_node node;
	int fd;	    /* of the application, and the kernel's set */
	int repoll; /* of librdmacm; its events have descriptors as data */
	struct list_node entries;
};

/* Held for a few instructions, and while repoll_ctl() runs. */
static struct verbs_mutex set_mutex = VERBS_MUTEX_INIT;
static struct list_node set_list = LIST_INIT(set_list);
/* Their number; written with the lock, and read without as well */
static unsigned int set_nr;

static struct epoll_set *set_find_locked(int fd) REQUIRES(set_mutex)
{
	struct list_node *node;

	list_for_each (node, &set_list) {
		struct epoll_set *set =
			list_entry(node, struct epoll_set, node);

		if (set->fd == fd)
			return set;
	}
	return NULL;
}

static struct set_entry *set_find_entry_locked(const struct epoll_set *set,
					       int fd) REQUIRES(set_mutex)
{
	struct list_node *node;

	list_for_each (node, &set->entries) {
		struct set_entry *entry =
			list_entry(node, struct set_entry, node);

		if (entry->fd == fd)
			return entry;
	}
	return NULL;
}

/* Returns 0 or a positive errno value. */
static int repoll_control(const struct epoll_set *set, int op, int member,
			  uint32_t events, int fd)
{
	struct epoll_event event = { .events = events, .data.fd = fd };
	int ret;

	preload_enter();
	ret = repoll_ctl(set->repoll, op, member, &event);
	preload_leave();
	return ret;
}

static int repoll_open(void)
{
	int fd;

	preload_enter();
	fd = repoll_create(EPOLL_CLOEXEC);
	preload_leave();
	return fd;
}

static void repoll_close(int fd)
{
	preload_enter();
	(void)rclose(fd);
	preload_leave();
}

static struct epoll_set *set_new_locked(int fd) REQUIRES(set_mutex)
{
	struct epoll_set *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	set->fd = fd;
	set->repoll = repoll_open();
	if (set->repoll < 0) {
		free(set);
		return NULL;
	}
	if (repoll_control(set, EPOLL_CTL_ADD, fd, EPOLLIN, fd) != 0) {
		repoll_close(set->repoll);
		free(set);
		return NULL;
	}
	list_init(&set->entries);
	list_add_tail(&set_list, &set->node);
	__atomic_add_fetch(&set_nr, 1, __ATOMIC_RELAXED);
	return set;
}

static void entry_drop_locked(const struct epoll_set *set,
			      struct set_entry *entry, int rsocket)
	REQUIRES(set_mutex)
{
	(void)repoll_control(set, EPOLL_CTL_DEL, rsocket, 0, 0);
	list_del(&entry->node);
	free(entry);
}

static int set_add_locked(int set_fd, const struct preload_file *file, int fd,
			  const struct epoll_event *event) REQUIRES(set_mutex)
{
	struct epoll_set *set = set_find_locked(set_fd);
	struct set_entry *entry;
	int ret;

	if (!set)
		set = set_new_locked(set_fd);
	if (!set)
		return ENOMEM;
	if (set_find_entry_locked(set, fd))
		return EEXIST;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return ENOMEM;
	ret = repoll_control(set, EPOLL_CTL_ADD, file->rsocket, event->events,
			     fd);
	if (ret) {
		free(entry);
		return ret;
	}
	entry->fd = fd;
	entry->event = *event;
	list_add_tail(&set->entries, &entry->node);
	return 0;
}

static int set_change_locked(int set_fd, int op,
			     const struct preload_file *file, int fd,
			     const struct epoll_event *event)
	REQUIRES(set_mutex)
{
	struct epoll_set *set = set_find_locked(set_fd);
	struct set_entry *entry = set ? set_find_entry_locked(set, fd) : NULL;

	if (!entry)
		return ENOENT;
	if (op == EPOLL_CTL_DEL) {
		entry_drop_locked(set, entry, file->rsocket);
		return 0;
	}
	entry->event = *event;
	return repoll_control(set, op, file->rsocket, event->events, fd);
}

static int member_control(int set_fd, int op, const struct preload_file *file,
			  int fd, const struct epoll_event *event)
{
	int ret;

	if (op != EPOLL_CTL_ADD && op != EPOLL_CTL_MOD && op != EPOLL_CTL_DEL)
		return EINVAL;
	if (op != EPOLL_CTL_DEL && !event)
		return EFAULT;
	verbs_mutex_lock(&set_mutex);
	ret = op == EPOLL_CTL_ADD
		      ? set_add_locked(set_fd, file, fd, event)
		      : set_change_locked(set_fd, op, file, fd, event);
	verbs_mutex_unlock(&set_mutex);
	return ret;
}

int epoll_ctl(int set_fd, int op, int fd, struct epoll_event *event)
{
	struct preload_file *file = preload_fork_get_waited(fd);
	int ret;

	if (!file)
		return preload_libc_get()->epoll_ctl(set_fd, op, fd, event);
	ret = member_control(set_fd, op, file, fd, event);
	preload_file_put(file);
	if (!ret)
		return 0;
	errno = ret;
	return -1;
}

/* The set of librdmacm; -1: the kernel's set has all members. */
static int set_get_repoll(int fd)
{
	struct epoll_set *set;
	int repoll = -1;

	if (preload_is_inside())
		return -1;
	verbs_mutex_lock(&set_mutex);
	set = set_find_locked(fd);
	if (set)
		repoll = set->repoll;
	verbs_mutex_unlock(&set_mutex);
	return repoll;
}

/*
 * An rsocket that could not connect is an ordinary socket now: it moves to the
 * kernel's set.
 */
static bool member_has_moved(int set_fd, int fd, struct preload_file *file)
{
	struct epoll_set *set;
	struct set_entry *entry;

	if (!preload_connect_poll(fd, file))
		return false;
	verbs_mutex_lock(&set_mutex);
	set = set_find_locked(set_fd);
	entry = set ? set_find_entry_locked(set, fd) : NULL;
	if (entry) {
		(void)preload_libc_get()->epoll_ctl(set_fd, EPOLL_CTL_ADD, fd,
						    &entry->event);
		list_del(&entry->node);
		free(entry);
	}
	verbs_mutex_unlock(&set_mutex);
	return true;
}

/* Replaces the descriptor in an event by the data of the application. */
static bool event_translate(int set_fd, struct epoll_event *event)
{
	int fd = event->data.fd;
	struct preload_file *file = preload_file_get(fd);
	struct epoll_set *set;
	struct set_entry *entry;
	bool has_moved;

	if (!file)
		return false;
	preload_enter();
	has_moved = member_has_moved(set_fd, fd, file);
	preload_leave();
	preload_file_put(file);
	if (has_moved)
		return false;
	verbs_mutex_lock(&set_mutex);
	set = set_find_locked(set_fd);
	entry = set ? set_find_entry_locked(set, fd) : NULL;
	if (entry)
		event->data = entry->event.data;
	verbs_mutex_unlock(&set_mutex);
	return entry != NULL;
}

/* Returns the number of events after those of the kernel's set are added. */
static int events_translate(int set_fd, struct epoll_event *events, int nr,
			    int max)
{
	bool has_kernel_events = false;
	int nr_events = 0, nr_kernel;

	for (int i = 0; i < nr; i++) {
		if (events[i].data.fd == set_fd) {
			has_kernel_events = true;
			continue;
		}
		events[nr_events] = events[i];
		if (event_translate(set_fd, &events[nr_events]))
			nr_events++;
	}
	if (!has_kernel_events || nr_events == max)
		return nr_events;
	nr_kernel = preload_libc_get()->epoll_wait(set_fd, &events[nr_events],
						   max - nr_events, 0);
	return nr_kernel > 0 ? nr_events + nr_kernel : nr_events;
}

static int epoll_set_wait(int set_fd, int repoll, struct epoll_event *events,
			  int max, int timeout_ms, const sigset_t *mask)
{
	int nr;

	do {
		/* It has events only if the result is their number. */
		events[0].events = 0;
		preload_enter();
		preload_mask_apply(mask);
		nr = repoll_wait(repoll, events, max, timeout_ms);
		preload_mask_apply(NULL);
		preload_leave();
		if (nr > 0 && !events[0].events) {
			errno = nr;
			return -1;
		}
		if (nr <= 0)
			return nr;
		nr = events_translate(set_fd, events, nr, max);
	} while (!nr && timeout_ms);
	return nr;
}

int epoll_wait(int set_fd, struct epoll_event *events, int max, int timeout_ms)
{
	int repoll = set_get_repoll(set_fd);

	if (repoll < 0 || !events || max <= 0)
		return preload_libc_get()->epoll_wait(set_fd, events, max,
						      timeout_ms);
	return epoll_set_wait(set_fd, repoll, events, max, timeout_ms, NULL);
}

int epoll_pwait(int set_fd, struct epoll_event *events, int max, int timeout_ms,
		const sigset_t *mask)
{
	int repoll = set_get_repoll(set_fd);
	sigset_t before;
	int nr;

	if (repoll < 0 || !events || max <= 0)
		return preload_libc_get()->epoll_pwait(set_fd, events, max,
						       timeout_ms, mask);
	preload_mask_begin(mask, &before);
	nr = epoll_set_wait(set_fd, repoll, events, max, timeout_ms, mask);
	preload_mask_end(mask, &before);
	return nr;
}

/* glibc has it since 2.35. */
#if !__GLIBC_PREREQ(2, 35)
int epoll_pwait2(int set_fd, struct epoll_event *events, int max,
		 const struct timespec *timeout, const sigset_t *mask);
#endif

/* Waits for whole milliseconds. */
int epoll_pwait2(int set_fd, struct epoll_event *events, int max,
		 const struct timespec *timeout, const sigset_t *mask)
{
	if (!preload_timeout_is_valid(timeout)) {
		errno = EINVAL;
		return -1;
	}
	return epoll_pwait(set_fd, events, max, preload_timeout_to_ms(timeout),
			   mask);
}

static void set_forget_members_locked(const struct epoll_set *set,
				      unsigned int first, unsigned int last)
	REQUIRES(set_mutex)
{
	struct list_node *node, *next;

	list_for_each_safe (node, next, &set->entries) {
		struct set_entry *entry =
			list_entry(node, struct set_entry, node);
		struct preload_file *file;

		if ((unsigned int)entry->fd < first ||
		    (unsigned int)entry->fd > last)
			continue;
		file = preload_file_get(entry->fd);
		entry_drop_locked(set, entry, file ? file->rsocket : -1);
		if (file)
			preload_file_put(file);
	}
}

static void set_free_locked(struct epoll_set *set) REQUIRES(set_mutex)
{
	set_forget_members_locked(set, 0, INT_MAX);
	(void)repoll_control(set, EPOLL_CTL_DEL, set->fd, 0, 0);
	repoll_close(set->repoll);
	list_del(&set->node);
	__atomic_sub_fetch(&set_nr, 1, __ATOMIC_RELAXED);
	free(set);
}

void preload_set_forget(unsigned int first, unsigned int last)
{
	const bool has_members = preload_file_next(first, last) >= 0;
	struct list_node *node, *next;

	/* A thread knows a descriptor only after its set has counted. */
	if (!__atomic_load_n(&set_nr, __ATOMIC_RELAXED) ||
	    preload_file_is_of_parent())
		return;
	verbs_mutex_lock(&set_mutex);
	list_for_each_safe (node, next, &set_list) {
		struct epoll_set *set =
			list_entry(node, struct epoll_set, node);

		if ((unsigned int)set->fd >= first &&
		    (unsigned int)set->fd <= last)
			set_free_locked(set);
		else if (has_members)
			set_forget_members_locked(set, first, last);
	}
	verbs_mutex_unlock(&set_mutex);
}
