/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Creates and uses bootstrap sockets. Called by uroce_slots*.c and shm/. */
#include "uroce/ipc/uroce_rendezvous.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "uroce/ipc/uroce_directory.h"
#include "util/nocancel.h"

/*
 * Connections that may wait for an owner of MADs. Each can be full, with more
 * than a hundred MADs (net.core.wmem_default).
 */
#define GSI_BACKLOG 64

/* Buffer for descriptors and the credentials of the sender. */
union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(UROCE_MAX_PASSED * sizeof(int)) +
		   CMSG_SPACE(sizeof(struct ucred))];
};

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

int uroce_rendezvous_bind(enum uroce_name_kind kind, uint32_t slot)
{
	int type = kind == UROCE_NAME_INBOX ? SOCK_DGRAM : SOCK_SEQPACKET;
	struct sockaddr_un name;
	socklen_t len =
		uroce_identity_name(kind, slot, uroce_identity_suffix(), &name);
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

/* Without a timeout, the socket is non-blocking and the peer proves nothing. */
static int connect_to_address(const struct sockaddr_un *name, socklen_t len,
			      unsigned int timeout_ms)
{
	int fd, ret;

	fd = socket(AF_UNIX,
		    SOCK_SEQPACKET | SOCK_CLOEXEC |
			    (timeout_ms ? 0 : SOCK_NONBLOCK),
		    0);
	if (fd < 0)
		return -errno;
	ret = timeout_ms ? set_timeouts(fd, timeout_ms) : 0;
	if (!ret && connect(fd, (const struct sockaddr *)name, len))
		ret = -errno;
	if (!ret)
		ret = uroce_identity_check_peer(fd);
	if (!ret && timeout_ms)
		ret = uroce_identity_prove(fd, false, timeout_ms);
	if (ret) {
		(void)close(fd);
		return ret;
	}
	return fd;
}

static int connect_to_name(enum uroce_name_kind kind, uint32_t slot,
			   const char *suffix, unsigned int timeout_ms)
{
	struct sockaddr_un name;
	socklen_t len = uroce_identity_name(kind, slot, suffix, &name);

	return connect_to_address(&name, len, timeout_ms);
}

/*
 * The first attempt does not wait: the listener may belong to another user
 * whose queue stays full.
 */
int uroce_rendezvous_connect(enum uroce_name_kind kind, uint32_t slot,
			     unsigned int timeout_ms)
{
	struct uroce_directory directory;
	int fd = connect_to_name(kind, slot, "", 0);
	const char *suffix;

	if (fd >= 0 && timeout_ms) {
		int ret = set_timeouts(fd, timeout_ms);

		if (!ret && fcntl(fd, F_SETFL, 0))
			ret = -errno;
		if (!ret)
			ret = uroce_identity_prove(fd, false, timeout_ms);
		if (ret) {
			(void)close(fd);
			return ret;
		}
	}
	if (fd != -ECONNREFUSED && fd != -EPERM && fd != -EAGAIN)
		return fd;
	uroce_directory_read(&directory);
	suffix = uroce_directory_suffix(&directory, slot);
	if (!suffix || (!*suffix && (fd != -EAGAIN || !timeout_ms)))
		return fd == -EAGAIN && !suffix ? -EPERM : fd;
	return connect_to_name(kind, slot, suffix, timeout_ms);
}

int uroce_rendezvous_accept(int listener, unsigned int timeout_ms)
{
	int fd, ret;

	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = uroce_identity_check_peer(fd);
	if (!ret)
		ret = set_timeouts(fd, timeout_ms);
	if (!ret)
		ret = uroce_identity_prove(fd, true, UROCE_RENDEZVOUS_PROOF_MS);
	if (ret) {
		(void)close(fd);
		return ret;
	}
	return fd;
}

int uroce_rendezvous_sendto(int fd, uint32_t slot, const char *suffix,
			    const void *data, size_t len)
{
	struct sockaddr_un name;
	socklen_t name_len =
		uroce_identity_name(UROCE_NAME_INBOX, slot, suffix, &name);

	if (sendto(fd, data, len, MSG_DONTWAIT | MSG_NOSIGNAL,
		   (struct sockaddr *)&name, name_len) < 0)
		return -errno;
	return 0;
}

static bool is_from_this_user(struct msghdr *msg)
{
	struct cmsghdr *cmsg;
	struct ucred sender;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET ||
		    cmsg->cmsg_type != SCM_CREDENTIALS)
			continue;
		memcpy(&sender, CMSG_DATA(cmsg), sizeof(sender));
		return sender.uid == uroce_identity_uid() &&
		       !uroce_identity_ambiguous();
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
	/* uroce sends no descriptors here; foreign ones would fill the table */
	for (nr = uroce_message_take_fds(&msg, fds); nr > 0; nr--)
		(void)close(fds[nr - 1]);
	if (!is_from_this_user(&msg))
		return -EPERM;
	return msg.msg_flags & MSG_TRUNC ? -EMSGSIZE : (int)got;
}

int uroce_rendezvous_listen_gsi(const char *text)
{
	struct sockaddr_un name;
	socklen_t len = uroce_identity_gsi_name(text, &name);
	int fd, ret;

	if (uroce_identity_ambiguous() || uroce_identity_changed())
		return -EPERM;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&name, len) ||
	    listen(fd, GSI_BACKLOG)) {
		ret = -errno;
		(void)close(fd);
		return ret;
	}
	return fd;
}

int uroce_rendezvous_connect_gsi(const char *text)
{
	struct sockaddr_un name;
	socklen_t len = uroce_identity_gsi_name(text, &name);

	/* there is no time for the proof of an ambiguous user id */
	return uroce_identity_ambiguous() ? -EPERM
					  : connect_to_address(&name, len, 0);
}

int uroce_rendezvous_accept_gsi(int listener)
{
	int fd, ret;

	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return -errno;
	ret = uroce_identity_check_peer(fd);
	if (ret) {
		(void)close(fd);
		return ret;
	}
	return fd;
}
