/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connects. The result of one that does not block is known when poll() reports
 * an event; then it is not too late for TCP.
 */
#include "preload/preload_connect.h"

#include "preload/preload_libc.h"
#include "preload/preload_make.h"

#include <errno.h>
#include <rdma/rsocket.h>
#include <string.h>

bool preload_connect_allows_ordinary(int error)
{
	switch (error) {
	case EADDRINUSE:
	case EAGAIN:
	case EALREADY:
	case EBADF:
	case EFAULT:
	case EINPROGRESS:
	case EINTR:
	case EINVAL:
	case EISCONN:
		return false;
	default:
		return true;
	}
}

int preload_connect_rsocket(int fd, struct preload_file *file,
			    const struct sockaddr *address, socklen_t len)
{
	int ret = rconnect(file->rsocket, address, len);

	if (ret == 0)
		return 0;
	if (preload_connect_allows_ordinary(errno) &&
	    preload_make_ordinary(fd, file) == 0)
		return preload_libc_get()->connect(fd, address, len);
	if (errno == EINPROGRESS && len <= sizeof(file->peer)) {
		memcpy(&file->peer, address, len);
		file->peer_len = len;
	}
	return ret;
}

static int connect_error_take(const struct preload_file *file)
{
	int error = 0;
	socklen_t len = sizeof(error);

	if (rgetsockopt(file->rsocket, SOL_SOCKET, SO_ERROR, &error, &len) != 0)
		return 0;
	return error;
}

static bool connect_again_locked(int fd, struct preload_file *file)
{
	socklen_t len = file->peer_len;
	int error;

	if (!len || preload_file_kind(file) != PRELOAD_RSOCKET)
		return false;
	file->peer_len = 0;
	error = connect_error_take(file);
	if (!error)
		return false;
	file->error = error;
	if (!preload_connect_allows_ordinary(error) ||
	    preload_make_ordinary(fd, file) != 0)
		return false;
	file->error = 0;
	if (preload_libc_get()->connect(fd, (struct sockaddr *)&file->peer,
					len) != 0 &&
	    errno != EINPROGRESS)
		file->error = errno;
	return true;
}

bool preload_connect_poll(int fd, struct preload_file *file)
{
	bool is_other;

	verbs_mutex_lock(&file->lock);
	is_other = connect_again_locked(fd, file);
	verbs_mutex_unlock(&file->lock);
	return is_other;
}
