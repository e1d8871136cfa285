/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Creation of sockets. The rules and the environment are read once. If there is
 * no RDMA device, no socket becomes an rsocket.
 */
#include "preload/preload_make.h"

#include "preload/preload_libc.h"
#include "preload/preload_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <rdma/rsocket.h>
#include <stdio.h>
#include <stdlib.h>

#define MAKE_RULES_FILE "/etc/rdma/rsocket/preload_config"
#define MAKE_LINE_LEN	256

#define MAKE_TYPE_FLAGS (SOCK_NONBLOCK | SOCK_CLOEXEC)

/* A variable of the environment for an option of rsockets */
struct make_option {
	const char *variable;
	int name;
	int value; /* 0: not set */
};

static struct make_option make_options[] = {
	{ "RS_SQ_SIZE", RDMA_SQSIZE, 0 },
	{ "RS_RQ_SIZE", RDMA_RQSIZE, 0 },
	{ "RS_INLINE", RDMA_INLINE, 0 },
};

#define MAKE_NR_OPTIONS (sizeof(make_options) / sizeof(make_options[0]))

static struct preload_rules make_rules;
static bool make_survives_fork;
static pthread_once_t make_once = PTHREAD_ONCE_INIT;

static void rules_read(void)
{
	char line[MAKE_LINE_LEN];
	FILE *file = fopen(MAKE_RULES_FILE, "re");

	if (!file)
		return;
	while (fgets(line, sizeof(line), file))
		preload_rules_add(&make_rules, line,
				  program_invocation_short_name);
	(void)fclose(file);
}

static int environment_number(const char *name)
{
	const char *text = getenv(name);

	return text ? atoi(text) : 0;
}

static void make_read_configuration(void)
{
	preload_enter();
	rules_read();
	preload_leave();
	for (size_t i = 0; i < MAKE_NR_OPTIONS; i++)
		make_options[i].value =
			environment_number(make_options[i].variable);
	make_survives_fork = environment_number("RDMAV_FORK_SAFE") != 0;
}

bool preload_make_wanted(int domain, int type, int protocol)
{
	int saved_errno = errno;

	if (preload_is_inside())
		return false;
	(void)pthread_once(&make_once, make_read_configuration);
	errno = saved_errno;
	return preload_rules_match(&make_rules, domain, type, protocol);
}

int preload_make_rsocket(int domain, int type, int protocol)
{
	int fd = rsocket(domain, type | SOCK_CLOEXEC, protocol);

	for (size_t i = 0; fd >= 0 && i < MAKE_NR_OPTIONS; i++) {
		const struct make_option *option = &make_options[i];

		if (option->value)
			(void)rsetsockopt(fd, SOL_RDMA, option->name,
					  &option->value,
					  sizeof(option->value));
	}
	return fd;
}

/* Gives up the reference of the caller; the descriptor is closed in a failure.
 */
static int handle_publish(int fd, struct preload_file *file)
{
	int ret = fd;

	if (fd >= 0 && preload_file_add(fd, file) != 0) {
		(void)preload_libc_get()->close(fd);
		ret = -1;
	}
	preload_file_put(file);
	return ret;
}

static int null_open(int flags)
{
	return open("/dev/null",
		    O_RDWR | ((flags & SOCK_CLOEXEC) ? O_CLOEXEC : 0));
}

int preload_make_socket(int domain, int type, int protocol)
{
	bool begins_with_tcp = make_survives_fork &&
			       (type & ~MAKE_TYPE_FLAGS) == SOCK_STREAM;
	struct preload_file *file = preload_file_new(
		begins_with_tcp ? PRELOAD_TCP : PRELOAD_RSOCKET, domain, type,
		protocol);
	int fd, saved_errno;

	if (!file)
		return -1;
	if (begins_with_tcp)
		return handle_publish(
			preload_libc_get()->socket(domain, type, protocol),
			file);
	fd = null_open(type);
	if (fd >= 0) {
		preload_enter();
		file->rsocket = preload_make_rsocket(domain, type, protocol);
		preload_leave();
	}
	if (fd >= 0 && file->rsocket < 0) {
		saved_errno = errno;
		(void)preload_libc_get()->close(fd);
		errno = saved_errno;
		fd = -1;
	}
	return handle_publish(fd, file);
}

int preload_make_handle(int rsocket, const struct preload_file *parent,
			int flags)
{
	struct preload_file *file =
		preload_file_new(PRELOAD_RSOCKET, parent->domain, parent->type,
				 parent->protocol);

	if (!file) {
		preload_enter();
		(void)rclose(rsocket);
		preload_leave();
		return -1;
	}
	file->rsocket = rsocket;
	return handle_publish(null_open(flags), file);
}

static void option_copy(int fd, const struct preload_file *file, int level,
			int name)
{
	int value;
	socklen_t len = sizeof(value);

	if (rgetsockopt(file->rsocket, level, name, &value, &len) == 0)
		(void)preload_libc_get()->setsockopt(fd, level, name, &value,
						     len);
}

/* Copies what matters before a socket is connected. */
static void options_copy(int fd, const struct preload_file *file)
{
	int flags = rfcntl(file->rsocket, F_GETFL);

	if (flags >= 0)
		(void)preload_libc_get()->fcntl(fd, F_SETFL, flags);
	option_copy(fd, file, SOL_SOCKET, SO_REUSEADDR);
	option_copy(fd, file, SOL_SOCKET, SO_KEEPALIVE);
	if (file->type == SOCK_STREAM)
		option_copy(fd, file, IPPROTO_TCP, TCP_NODELAY);
	if (file->domain == AF_INET6)
		option_copy(fd, file, IPPROTO_IPV6, IPV6_V6ONLY);
}

int preload_make_ordinary(int fd, struct preload_file *file)
{
	const struct preload_libc *libc = preload_libc_get();
	int fd_flags = libc->fcntl(fd, F_GETFD);
	int rsocket = file->rsocket;
	int ordinary = libc->socket(file->domain, file->type | SOCK_CLOEXEC,
				    file->protocol);
	int ret;

	if (ordinary < 0)
		return -1;
	preload_enter();
	options_copy(ordinary, file);
	/* The kernel may give the same port to both. */
	ret = file->bound_len
		      ? libc->bind(ordinary, (struct sockaddr *)&file->bound,
				   file->bound_len)
		      : 0;
	if (ret == 0 &&
	    libc->dup3(ordinary, fd,
		       fd_flags > 0 && (fd_flags & FD_CLOEXEC) ? O_CLOEXEC
							       : 0) < 0)
		ret = -1;
	if (ret == 0) {
		preload_file_set_kind(file, PRELOAD_ORDINARY);
		file->rsocket = -1;
		(void)rclose(rsocket);
	}
	preload_leave();
	(void)libc->close(ordinary);
	return ret;
}
