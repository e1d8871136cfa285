/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The C library behind this one. RDMA libraries use sockets themselves, which
 * must not become rsockets: a thread is marked while it calls them, and their
 * own threads are marked for ever.
 */
#include "preload/preload_libc.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

static struct preload_libc preload_libc;
static pthread_once_t libc_once = PTHREAD_ONCE_INIT;
static __thread unsigned int nr_entered;

static void libc_find(void)
{
	const struct {
		const char *name;
		void *place;
	} functions[] = {
		{ "accept4", &preload_libc.accept4 },
		{ "bind", &preload_libc.bind },
		{ "close", &preload_libc.close },
		{ "connect", &preload_libc.connect },
		{ "dup", &preload_libc.dup },
		{ "dup3", &preload_libc.dup3 },
		{ "epoll_ctl", &preload_libc.epoll_ctl },
		{ "epoll_pwait", &preload_libc.epoll_pwait },
		{ "epoll_wait", &preload_libc.epoll_wait },
		{ "fcntl", &preload_libc.fcntl },
		{ "getpeername", &preload_libc.getpeername },
		{ "getsockname", &preload_libc.getsockname },
		{ "getsockopt", &preload_libc.getsockopt },
		{ "ioctl", &preload_libc.ioctl },
		{ "listen", &preload_libc.listen },
		{ "poll", &preload_libc.poll },
		{ "ppoll", &preload_libc.ppoll },
		{ "pselect", &preload_libc.pselect },
		{ "pthread_create", &preload_libc.pthread_create },
		{ "read", &preload_libc.read },
		{ "readv", &preload_libc.readv },
		{ "recvfrom", &preload_libc.recvfrom },
		{ "recvmmsg", &preload_libc.recvmmsg },
		{ "recvmsg", &preload_libc.recvmsg },
		{ "select", &preload_libc.select },
		{ "sendfile", &preload_libc.sendfile },
		{ "sendfile64", &preload_libc.sendfile64 },
		{ "sendmmsg", &preload_libc.sendmmsg },
		{ "sendmsg", &preload_libc.sendmsg },
		{ "sendto", &preload_libc.sendto },
		{ "setsockopt", &preload_libc.setsockopt },
		{ "shutdown", &preload_libc.shutdown },
		{ "socket", &preload_libc.socket },
		{ "splice", &preload_libc.splice },
		{ "write", &preload_libc.write },
		{ "writev", &preload_libc.writev },
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		*(void **)functions[i].place =
			dlsym(RTLD_NEXT, functions[i].name);
		/* Without the C library, nothing can be reported. */
		if (!*(void **)functions[i].place)
			abort();
	}
}

const struct preload_libc *preload_libc_get(void)
{
	int saved_errno = errno;

	(void)pthread_once(&libc_once, libc_find);
	errno = saved_errno;
	return &preload_libc;
}

void preload_enter(void)
{
	nr_entered++;
}

void preload_leave(void)
{
	nr_entered--;
}

unsigned int preload_suspend(void)
{
	unsigned int nr = nr_entered;

	nr_entered = 0;
	return nr;
}

void preload_resume(unsigned int nr)
{
	nr_entered = nr;
}

bool preload_is_inside(void)
{
	return nr_entered != 0;
}

struct thread_start {
	void *(*run)(void *);
	void *arg;
};

static void *thread_run_inside(void *arg)
{
	struct thread_start start = *(struct thread_start *)arg;

	free(arg);
	preload_enter();
	return start.run(start.arg);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		   void *(*run)(void *), void *arg)
{
	const struct preload_libc *libc = preload_libc_get();
	struct thread_start *start;
	int ret;

	if (!preload_is_inside())
		return libc->pthread_create(thread, attr, run, arg);
	start = malloc(sizeof(*start));
	if (!start)
		return EAGAIN;
	*start = (struct thread_start){ .run = run, .arg = arg };
	ret = libc->pthread_create(thread, attr, thread_run_inside, start);
	if (ret)
		free(start);
	return ret;
}
