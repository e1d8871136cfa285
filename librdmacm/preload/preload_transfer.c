/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sending and receiving: functions of unistd.h, sys/uio.h, sys/socket.h and
 * sys/sendfile.h, and those that _FORTIFY_SOURCE calls instead.
 */
#include "preload/preload_call.h"
#include "preload/preload_libc.h"
#include "preload/preload_make.h"

#include <errno.h>
#include <fcntl.h>
#include <rdma/rsocket.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <time.h>
#include <unistd.h>

#define TRANSFER_SENDFILE_LEN 16384

ssize_t read(int fd, void *bytes, size_t len)
{
	struct preload_file *file = preload_begin_transfer(fd);

	if (!file)
		return preload_libc_get()->read(fd, bytes, len);
	return preload_end(file, rread(file->rsocket, bytes, len));
}

ssize_t readv(int fd, const struct iovec *iov, int nr)
{
	struct preload_file *file = preload_begin_transfer(fd);

	if (!file)
		return preload_libc_get()->readv(fd, iov, nr);
	return preload_end(file, rreadv(file->rsocket, iov, nr));
}

ssize_t recvfrom(int fd, void *bytes, size_t len, int flags,
		 struct sockaddr *address, socklen_t *address_len)
{
	struct preload_file *file = preload_begin_transfer(fd);

	if (!file)
		return preload_libc_get()->recvfrom(fd, bytes, len, flags,
						    address, address_len);
	return preload_end(file, rrecvfrom(file->rsocket, bytes, len, flags,
					   address, address_len));
}

ssize_t recv(int fd, void *bytes, size_t len, int flags)
{
	return recvfrom(fd, bytes, len, flags, NULL, NULL);
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	struct preload_file *file = preload_begin_transfer(fd);
	struct msghdr plain;
	ssize_t ret;

	if (!file)
		return preload_libc_get()->recvmsg(fd, msg, flags);
	/* Rsockets have no control data. */
	plain = *msg;
	plain.msg_control = NULL;
	plain.msg_controllen = 0;
	ret = rrecvmsg(file->rsocket, &plain, flags);
	if (ret >= 0) {
		msg->msg_namelen = plain.msg_namelen;
		msg->msg_flags = plain.msg_flags;
		msg->msg_controllen = 0;
	}
	return preload_end(file, ret);
}

ssize_t write(int fd, const void *bytes, size_t len)
{
	struct preload_file *file = preload_begin_transfer(fd);

	if (!file)
		return preload_libc_get()->write(fd, bytes, len);
	return preload_end(file, rwrite(file->rsocket, bytes, len));
}

ssize_t writev(int fd, const struct iovec *iov, int nr)
{
	struct preload_file *file = preload_begin_transfer(fd);

	if (!file)
		return preload_libc_get()->writev(fd, iov, nr);
	return preload_end(file, rwritev(file->rsocket, iov, nr));
}

/* No RDMA device has the local address of a datagram. */
static bool must_become_ordinary(const struct preload_file *file, ssize_t ret)
{
	return ret < 0 && errno == ENODEV && file->type == SOCK_DGRAM;
}

ssize_t sendto(int fd, const void *bytes, size_t len, int flags,
	       const struct sockaddr *address, socklen_t address_len)
{
	struct preload_file *file = preload_begin_transfer(fd);
	ssize_t ret;

	if (!file)
		return preload_libc_get()->sendto(fd, bytes, len, flags,
						  address, address_len);
	ret = rsendto(file->rsocket, bytes, len, flags, address, address_len);
	if (must_become_ordinary(file, ret) &&
	    preload_make_ordinary(fd, file) == 0)
		ret = preload_libc_get()->sendto(fd, bytes, len, flags, address,
						 address_len);
	return preload_end(file, ret);
}

ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
	return sendto(fd, bytes, len, flags, NULL, 0);
}

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	struct preload_file *file = preload_begin_transfer(fd);
	ssize_t ret;

	if (!file)
		return preload_libc_get()->sendmsg(fd, msg, flags);
	ret = rsendmsg(file->rsocket, msg, flags);
	if (must_become_ordinary(file, ret) &&
	    preload_make_ordinary(fd, file) == 0)
		ret = preload_libc_get()->sendmsg(fd, msg, flags);
	return preload_end(file, ret);
}

/* The time after which recvmmsg() receives no further message */
static uint64_t clock_after_ns(const struct timespec *duration)
{
	struct timespec now;

	if (!duration)
		return UINT64_MAX;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return ((uint64_t)now.tv_sec + (uint64_t)duration->tv_sec) *
		       1000000000 +
	       (uint64_t)now.tv_nsec + (uint64_t)duration->tv_nsec;
}

static bool is_rsocket(int fd)
{
	struct preload_file *file = preload_begin_transfer(fd);

	if (!file)
		return false;
	(void)preload_end(file, 0);
	return true;
}

/* As in the kernel, the time is examined only after each message. */
int recvmmsg(int fd, struct mmsghdr *msgs, unsigned int nr, int flags,
	     struct timespec *timeout)
{
	static const struct timespec now;
	uint64_t end_ns;
	unsigned int i;

	if (!is_rsocket(fd))
		return preload_libc_get()->recvmmsg(fd, msgs, nr, flags,
						    timeout);
	end_ns = clock_after_ns(timeout);
	for (i = 0; i < nr; i++) {
		ssize_t len =
			recvmsg(fd, &msgs[i].msg_hdr, flags & ~MSG_WAITFORONE);

		if (len < 0)
			break;
		msgs[i].msg_len = (unsigned int)len;
		if (flags & MSG_WAITFORONE)
			flags |= MSG_DONTWAIT;
		if (timeout && clock_after_ns(&now) >= end_ns)
			nr = i + 1;
	}
	return i || !nr ? (int)i : -1;
}

int sendmmsg(int fd, struct mmsghdr *msgs, unsigned int nr, int flags)
{
	unsigned int i;

	if (!is_rsocket(fd))
		return preload_libc_get()->sendmmsg(fd, msgs, nr, flags);
	for (i = 0; i < nr; i++) {
		ssize_t len = sendmsg(fd, &msgs[i].msg_hdr, flags);

		if (len < 0)
			break;
		msgs[i].msg_len = (unsigned int)len;
	}
	return i || !nr ? (int)i : -1;
}

/* Returns the number of bytes from @at on, or -1 if there are none. */
static ssize_t sendfile_copy(int rsocket, int from, off64_t at, size_t len)
{
	uint8_t bytes[TRANSFER_SENDFILE_LEN];
	ssize_t nr_read, nr_sent;
	size_t nr = 0;

	while (nr < len) {
		size_t part = len - nr;

		if (part > sizeof(bytes))
			part = sizeof(bytes);
		nr_read = pread64(from, bytes, part, at + (off64_t)nr);
		if (nr_read == 0)
			break;
		nr_sent = nr_read < 0 ? -1
				      : rwrite(rsocket, bytes, (size_t)nr_read);
		if (nr_sent < 0)
			return nr ? (ssize_t)nr : -1;
		nr += (size_t)nr_sent;
		if (nr_sent < nr_read)
			break;
	}
	return (ssize_t)nr;
}

static ssize_t sendfile_rsocket(struct preload_file *file, int from,
				off64_t *offset, size_t len)
{
	off64_t at = offset ? *offset : lseek64(from, 0, SEEK_CUR);
	ssize_t ret = -1;

	if (at >= 0)
		ret = sendfile_copy(file->rsocket, from, at, len);
	if (ret > 0 && offset)
		*offset = at + ret;
	else if (ret > 0)
		(void)lseek64(from, at + ret, SEEK_SET);
	return preload_end(file, ret);
}

/* As from a socket in the kernel; the descriptor is one of an empty file. */
static bool sendfile_is_refused(int from)
{
	if (!is_rsocket(from))
		return false;
	errno = EINVAL;
	return true;
}

ssize_t sendfile64(int to, int from, off64_t *offset, size_t len)
{
	struct preload_file *file;

	if (sendfile_is_refused(from))
		return -1;
	file = preload_begin_transfer(to);
	if (!file)
		return preload_libc_get()->sendfile64(to, from, offset, len);
	return sendfile_rsocket(file, from, offset, len);
}

ssize_t sendfile(int to, int from, off_t *offset, size_t len)
{
	off64_t at = offset ? *offset : 0;
	struct preload_file *file;
	ssize_t ret;

	if (sendfile_is_refused(from))
		return -1;
	file = preload_begin_transfer(to);
	if (!file)
		return preload_libc_get()->sendfile(to, from, offset, len);
	ret = sendfile_rsocket(file, from, offset ? &at : NULL, len);
	if (offset)
		*offset = (off_t)at;
	return ret;
}

/* Programs use read() and write() then, as for files without splice(). */
ssize_t splice(int from, off64_t *from_offset, int to, off64_t *to_offset,
	       size_t len, unsigned int flags)
{
	if (!is_rsocket(from) && !is_rsocket(to))
		return preload_libc_get()->splice(from, from_offset, to,
						  to_offset, len, flags);
	errno = EINVAL;
	return -1;
}

/* -- what _FORTIFY_SOURCE calls if the length is not constant -- */

/* NOLINTBEGIN(bugprone-reserved-identifier) */
ssize_t __read_chk(int fd, void *bytes, size_t len, size_t size);
ssize_t __recv_chk(int fd, void *bytes, size_t len, size_t size, int flags);
ssize_t __recvfrom_chk(int fd, void *bytes, size_t len, size_t size, int flags,
		       struct sockaddr *address, socklen_t *address_len);
/* NOLINTEND(bugprone-reserved-identifier) */

static void length_check(size_t len, size_t size)
{
	if (len > size)
		abort();
}

ssize_t __read_chk(int fd, void *bytes, size_t len, size_t size)
{
	length_check(len, size);
	return read(fd, bytes, len);
}

ssize_t __recv_chk(int fd, void *bytes, size_t len, size_t size, int flags)
{
	length_check(len, size);
	return recv(fd, bytes, len, flags);
}

ssize_t __recvfrom_chk(int fd, void *bytes, size_t len, size_t size, int flags,
		       struct sockaddr *address, socklen_t *address_len)
{
	length_check(len, size);
	return recvfrom(fd, bytes, len, flags, address, address_len);
}
