/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Abstract unix sockets (unix(7)). Called by uroce_slots.c only.
 */
#include "uroce/port/uroce_rendezvous.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/nocancel.h"

/* Room for the descriptors and for the sender's credentials. */
union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(UROCE_MAX_PASSED * sizeof(int)) +
		   CMSG_SPACE(sizeof(struct ucred))];
};

/* Abstract: begins with a 0, and is as long as it says, without one. */
static socklen_t make_name(const char *what, struct sockaddr_un *name)
{
	int len;

	*name = (struct sockaddr_un){ .sun_family = AF_UNIX };
	len = snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1,
		       "uroce.%u.%s", (unsigned int)geteuid(), what);
	if (len > (int)sizeof(name->sun_path) - 2)
		len = (int)sizeof(name->sun_path) - 2;
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)len);
}

static int set_timeouts(int fd, unsigned int timeout_ms)
{
	struct timeval time = {
		.tv_sec = timeout_ms / 1000,
		.tv_usec = timeout_ms % 1000 * 1000,
	};

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time)))
		return -errno;
	return 0;
}

/* For a connection: who it was that connected, or listened. */
static int check_peer(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len))
		return -errno;
	return peer.uid == geteuid() ? 0 : -EPERM;
}

int uroce_rendezvous_bind(int type, const char *what)
{
	struct sockaddr_un name;
	socklen_t len = make_name(what, &name);
	int on = 1;
	int fd, ret;

	fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if ((type == SOCK_DGRAM &&
	     setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on))) ||
	    bind(fd, (struct sockaddr *)&name, len)) {
		ret = -errno;
		(void)close(fd);
		return ret;
	}
	return fd;
}

int uroce_rendezvous_connect(const char *what, unsigned int timeout_ms)
{
	struct sockaddr_un name;
	socklen_t len = make_name(what, &name);
	int fd, ret;

	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	ret = set_timeouts(fd, timeout_ms);
	if (!ret && connect(fd, (struct sockaddr *)&name, len))
		ret = -errno;
	if (!ret)
		ret = check_peer(fd);
	if (ret) {
		(void)close(fd);
		return ret;
	}
	return fd;
}

int uroce_rendezvous_accept(int listener, unsigned int timeout_ms)
{
	struct sockaddr_un from;
	socklen_t len = sizeof(from);
	int fd, ret;

	fd = accept4(listener, (struct sockaddr *)&from, &len, SOCK_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = check_peer(fd);
	if (!ret)
		ret = set_timeouts(fd, timeout_ms);
	if (ret) {
		(void)close(fd);
		return ret;
	}
	return fd;
}

static int send_with(int fd, const void *data, size_t len, const int *fds,
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

int uroce_rendezvous_send(int fd, const void *data, size_t len, const int *fds,
			  unsigned int nr_fds)
{
	return send_with(fd, data, len, fds, nr_fds, 0);
}

int uroce_rendezvous_try_send(int fd, const void *data, size_t len,
			      const int *fds, unsigned int nr_fds)
{
	return send_with(fd, data, len, fds, nr_fds, MSG_DONTWAIT);
}

/* The kernel gives at most what the buffer has room for. */
static int take_fds(struct msghdr *msg, int *ret_fds)
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
 * A message of a connection; @how: as of recvmsg(2). Gives its length, or
 * -errno, and its descriptors and flags.
 */
static ssize_t receive(int fd, struct iovec *iov, int how,
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
	*ret_nr = take_fds(&msg, ret_fds);
	*ret_flags = msg.msg_flags;
	return got;
}

int uroce_rendezvous_receive(int fd, void *data, size_t len, int *ret_fds)
{
	struct iovec iov = { .iov_base = data, .iov_len = len };
	int nr = 0, flags = 0;
	ssize_t got = receive(fd, &iov, 0, ret_fds, &nr, &flags);

	if (got < 0)
		return (int)got;
	if ((size_t)got == len && !(flags & (MSG_TRUNC | MSG_CTRUNC)))
		return nr;
	while (nr > 0)
		(void)close(ret_fds[--nr]);
	/* descriptors that there was room for, but not in our table */
	return flags & MSG_CTRUNC ? -EMFILE : -EPROTO;
}

int uroce_rendezvous_try_receive(int fd, void *data, size_t size, int *ret_fd)
{
	struct iovec iov = { .iov_base = data, .iov_len = size };
	int fds[UROCE_MAX_PASSED];
	int nr = 0, flags = 0;
	ssize_t got = receive(fd, &iov, MSG_DONTWAIT, fds, &nr, &flags);

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

int uroce_rendezvous_sendto(int fd, const char *what, const void *data,
			    size_t len)
{
	struct sockaddr_un name;
	socklen_t name_len = make_name(what, &name);

	if (sendto(fd, data, len, MSG_DONTWAIT | MSG_NOSIGNAL,
		   (struct sockaddr *)&name, name_len) < 0)
		return -errno;
	return 0;
}

static bool is_from_us(struct msghdr *msg)
{
	struct cmsghdr *cmsg;
	struct ucred sender;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET ||
		    cmsg->cmsg_type != SCM_CREDENTIALS)
			continue;
		memcpy(&sender, CMSG_DATA(cmsg), sizeof(sender));
		return sender.uid == geteuid();
	}
	return false;
}

int uroce_rendezvous_recvfrom(int fd, void *buf, size_t size)
{
	struct iovec iov = { .iov_base = buf, .iov_len = size };
	int fds[UROCE_MAX_PASSED];
	union control control;
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	ssize_t got = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	int nr;

	if (got < 0)
		return -errno;
	/* nobody of ours sends any; who does must not fill our table */
	for (nr = take_fds(&msg, fds); nr > 0; nr--)
		(void)close(fds[nr - 1]);
	if (!is_from_us(&msg))
		return -EPERM;
	return msg.msg_flags & MSG_TRUNC ? -EMSGSIZE : (int)got;
}
