/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages over unix sockets, with descriptors (SCM_RIGHTS of unix(7)). */
#include "uroce/ipc/uroce_message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/nocancel.h"

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(UROCE_MAX_PASSED * sizeof(int))];
};

static int message_send(int fd, const void *data, size_t len, const int *fds,
			unsigned int nr_fds, int flags)
{
	struct iovec iov = { .iov_base = (void *)data, .iov_len = len };
	union control control = {};
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *cmsg;

	if (nr_fds) {
		msg.msg_control = control.bytes;
		msg.msg_controllen = CMSG_SPACE(nr_fds * sizeof(int));
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(nr_fds * sizeof(int));
		memcpy(CMSG_DATA(cmsg), fds, nr_fds * sizeof(int));
	}
	return sendmsg(fd, &msg, flags | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int uroce_message_send(int fd, const void *data, size_t len, const int *fds,
		       unsigned int nr_fds)
{
	return message_send(fd, data, len, fds, nr_fds, 0);
}

int uroce_message_try_send(int fd, const void *data, size_t len, const int *fds,
			   unsigned int nr_fds)
{
	return message_send(fd, data, len, fds, nr_fds, MSG_DONTWAIT);
}

/* The kernel passes only descriptors that fit in the control buffer. */
int uroce_message_take_fds(struct msghdr *msg, int *ret_fds)
{
	struct cmsghdr *cmsg;
	size_t nr = 0;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		size_t bytes = cmsg->cmsg_len - CMSG_LEN(0);

		if (cmsg->cmsg_level != SOL_SOCKET ||
		    cmsg->cmsg_type != SCM_RIGHTS)
			continue;
		memcpy(ret_fds + nr, CMSG_DATA(cmsg), bytes);
		nr += bytes / sizeof(int);
	}
	return (int)nr;
}

/*
 * Receives a message, its descriptors and its flags. @how: flags for
 * recvmsg(2). Return: length of the message, or -errno.
 */
static ssize_t message_receive(int fd, struct iovec *iov, int how,
			       int ret_fds[UROCE_MAX_PASSED], int *ret_nr,
			       int *ret_flags)
{
	union control control;
	struct msghdr msg = {
		.msg_iov = iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = CMSG_SPACE(UROCE_MAX_PASSED * sizeof(int)),
	};
	ssize_t got = recvmsg(fd, &msg, how | MSG_CMSG_CLOEXEC);

	if (got < 0)
		return -errno;
	*ret_nr = uroce_message_take_fds(&msg, ret_fds);
	*ret_flags = msg.msg_flags;
	return got;
}

int uroce_message_receive(int fd, void *data, size_t len, int *ret_fds)
{
	struct iovec iov = { .iov_base = data, .iov_len = len };
	int nr = 0, flags = 0;
	ssize_t got = message_receive(fd, &iov, 0, ret_fds, &nr, &flags);

	if (got < 0)
		return (int)got;
	if ((size_t)got == len && !(flags & (MSG_TRUNC | MSG_CTRUNC)))
		return nr;
	while (nr > 0)
		(void)close(ret_fds[--nr]);
	/* MSG_CTRUNC usually means that the descriptor table is full */
	return flags & MSG_CTRUNC ? -EMFILE : -EPROTO;
}

int uroce_message_try_receive(int fd, void *data, size_t size, int *ret_fd)
{
	struct iovec iov = { .iov_base = data, .iov_len = size };
	int fds[UROCE_MAX_PASSED];
	int nr = 0, flags = 0;
	ssize_t got = message_receive(fd, &iov, MSG_DONTWAIT, fds, &nr, &flags);

	if (got < 0)
		return got == -EINTR ? -EAGAIN : (int)got;
	if (got && nr <= 1 && !(flags & MSG_TRUNC)) {
		*ret_fd = nr ? fds[0] : -1;
		return (int)got;
	}
	while (nr > 0)
		(void)close(fds[--nr]);
	return -EPROTO;
}
