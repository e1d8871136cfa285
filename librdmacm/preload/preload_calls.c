/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Connections, addresses and options: functions of sys/socket.h. */
#include "preload/preload_call.h"
#include "preload/preload_connect.h"
#include "preload/preload_libc.h"
#include "preload/preload_make.h"

#include <errno.h>
#include <fcntl.h>
#include <rdma/rsocket.h>
#include <string.h>

int socket(int domain, int type, int protocol)
{
	int fd = -1;

	if (preload_make_wanted(domain, type, protocol))
		fd = preload_make_socket(domain, type, protocol);
	return fd >= 0 ? fd
		       : preload_libc_get()->socket(domain, type, protocol);
}

int bind(int fd, const struct sockaddr *address, socklen_t len)
{
	struct preload_file *file = preload_begin(fd);
	int ret;

	if (!file)
		return preload_libc_get()->bind(fd, address, len);
	ret = rbind(file->rsocket, address, len);
	if (ret == 0 && len <= sizeof(file->bound)) {
		memcpy(&file->bound, address, len);
		file->bound_len = len;
	} else if (ret != 0 && preload_connect_allows_ordinary(errno) &&
		   preload_make_ordinary(fd, file) == 0) {
		ret = preload_libc_get()->bind(fd, address, len);
	}
	return (int)preload_end(file, ret);
}

int listen(int fd, int backlog)
{
	struct preload_file *file = preload_begin(fd);

	if (!file)
		return preload_libc_get()->listen(fd, backlog);
	return (int)preload_end(file, rlisten(file->rsocket, backlog));
}

/* A connection of a listener that began with TCP */
static int accept_by_tcp(int fd, const struct preload_file *listener,
			 struct sockaddr *address, socklen_t *len, int flags)
{
	int accepted = preload_libc_get()->accept4(fd, address, len, flags);
	struct preload_file *file;

	if (accepted < 0)
		return accepted;
	file = preload_file_new(PRELOAD_TCP_PASSIVE, listener->domain,
				listener->type, listener->protocol);
	if (!file)
		return accepted; /* remains a TCP connection */
	(void)preload_file_add(accepted, file);
	preload_file_put(file);
	return accepted;
}

static int accept_by_rsocket(const struct preload_file *listener,
			     struct sockaddr *address, socklen_t *len,
			     int flags)
{
	int rsocket = raccept(listener->rsocket, address, len);

	if (rsocket < 0)
		return -1;
	/* It has the flags of the listener, in contrast to accept4(2). */
	(void)rfcntl(rsocket, F_SETFD, FD_CLOEXEC);
	(void)rfcntl(rsocket, F_SETFL, flags & SOCK_NONBLOCK ? O_NONBLOCK : 0);
	return preload_make_handle(rsocket, listener, flags);
}

int accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
	struct preload_file *file = preload_begin(fd);
	int ret;

	if (file)
		return (int)preload_end(
			file, accept_by_rsocket(file, address, len, flags));
	file = preload_file_get(fd);
	if (!file)
		return preload_libc_get()->accept4(fd, address, len, flags);
	ret = accept_by_tcp(fd, file, address, len, flags);
	preload_file_put(file);
	return ret;
}

int accept(int fd, struct sockaddr *address, socklen_t *len)
{
	return accept4(fd, address, len, 0);
}

static int connect_by_tcp(int fd, const struct sockaddr *address, socklen_t len)
{
	int ret = preload_libc_get()->connect(fd, address, len);
	struct preload_file *file = preload_file_get(fd);

	if (!file)
		return ret;
	if (preload_file_kind(file) == PRELOAD_TCP &&
	    (ret == 0 || errno == EINPROGRESS))
		preload_file_set_kind(file, PRELOAD_TCP_ACTIVE);
	preload_file_put(file);
	return ret;
}

int connect(int fd, const struct sockaddr *address, socklen_t len)
{
	struct preload_file *file = preload_begin(fd);

	if (!file)
		return connect_by_tcp(fd, address, len);
	return (int)preload_end(
		file, preload_connect_rsocket(fd, file, address, len));
}

int shutdown(int fd, int how)
{
	struct preload_file *file = preload_begin(fd);

	if (!file)
		return preload_libc_get()->shutdown(fd, how);
	return (int)preload_end(file, rshutdown(file->rsocket, how));
}

int getpeername(int fd, struct sockaddr *address, socklen_t *len)
{
	struct preload_file *file = preload_begin(fd);

	if (!file)
		return preload_libc_get()->getpeername(fd, address, len);
	return (int)preload_end(file,
				rgetpeername(file->rsocket, address, len));
}

int getsockname(int fd, struct sockaddr *address, socklen_t *len)
{
	struct preload_file *file = preload_begin(fd);

	if (!file)
		return preload_libc_get()->getsockname(fd, address, len);
	return (int)preload_end(file,
				rgetsockname(file->rsocket, address, len));
}

/* The error of a connect that began as one of an rsocket, once */
static int error_take(int fd)
{
	struct preload_file *file = preload_file_get(fd);
	int error = 0;

	if (!file)
		return 0;
	verbs_mutex_lock(&file->lock);
	error = file->error;
	file->error = 0;
	verbs_mutex_unlock(&file->lock);
	preload_file_put(file);
	return error;
}

int getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	struct preload_file *file = preload_begin(fd);
	int error = 0;

	if (level == SOL_SOCKET && name == SO_ERROR && value && len &&
	    *len >= sizeof(error))
		error = error_take(fd);
	if (error) {
		memcpy(value, &error, sizeof(error));
		*len = sizeof(error);
		return file ? (int)preload_end(file, 0) : 0;
	}
	if (!file)
		return preload_libc_get()->getsockopt(fd, level, name, value,
						      len);
	return (int)preload_end(
		file, rgetsockopt(file->rsocket, level, name, value, len));
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	struct preload_file *file = preload_begin(fd);

	if (!file)
		return preload_libc_get()->setsockopt(fd, level, name, value,
						      len);
	return (int)preload_end(
		file, rsetsockopt(file->rsocket, level, name, value, len));
}
