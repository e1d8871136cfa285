/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions of rsocket.h that the library exports: each calls the function
 * of the connection manager of the process.
 */
#include "entry/entry_table.h"

#include <stdarg.h>

/* All commands of fcntl() have one argument at most, an int or a pointer. */
int rfcntl(int socket, int cmd, ... /* arg */)
{
	const struct forward_table *table = entry_rsocket_table_get();
	va_list args;
	long arg;

	if (!table->rfcntl)
		return forward_minus1();
	va_start(args, cmd);
	arg = va_arg(args, long);
	va_end(args);
	return table->rfcntl(socket, cmd, arg);
}

int raccept(int socket, struct sockaddr *addr, socklen_t *addrlen)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->raccept)
		return forward_minus1();
	return table->raccept(socket, addr, addrlen);
}

int rbind(int socket, const struct sockaddr *addr, socklen_t addrlen)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rbind)
		return forward_minus1();
	return table->rbind(socket, addr, addrlen);
}

int rclose(int socket)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rclose)
		return forward_minus1();
	return table->rclose(socket);
}

int rconnect(int socket, const struct sockaddr *addr, socklen_t addrlen)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rconnect)
		return forward_minus1();
	return table->rconnect(socket, addr, addrlen);
}

int repoll_create(int flags)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->repoll_create)
		return forward_minus1();
	return table->repoll_create(flags);
}

int repoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->repoll_ctl)
		return forward_minus1();
	return table->repoll_ctl(epfd, op, fd, event);
}

int repoll_wait(int epfd, struct epoll_event *events, int maxevents,
		int timeout)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->repoll_wait)
		return forward_minus1();
	return table->repoll_wait(epfd, events, maxevents, timeout);
}

int rgetpeername(int socket, struct sockaddr *addr, socklen_t *addrlen)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rgetpeername)
		return forward_minus1();
	return table->rgetpeername(socket, addr, addrlen);
}

int rgetsockname(int socket, struct sockaddr *addr, socklen_t *addrlen)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rgetsockname)
		return forward_minus1();
	return table->rgetsockname(socket, addr, addrlen);
}

int rgetsockopt(int socket, int level, int optname, void *optval,
		socklen_t *optlen)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rgetsockopt)
		return forward_minus1();
	return table->rgetsockopt(socket, level, optname, optval, optlen);
}

off_t riomap(int socket, void *buf, size_t len, int prot, int flags,
	     off_t offset)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->riomap)
		return forward_minus1();
	return table->riomap(socket, buf, len, prot, flags, offset);
}

int riounmap(int socket, void *buf, size_t len)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->riounmap)
		return forward_minus1();
	return table->riounmap(socket, buf, len);
}

size_t riowrite(int socket, const void *buf, size_t count, off_t offset,
		int flags)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->riowrite)
		return (size_t)forward_minus1();
	return table->riowrite(socket, buf, count, offset, flags);
}

int rlisten(int socket, int backlog)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rlisten)
		return forward_minus1();
	return table->rlisten(socket, backlog);
}

int rpoll(struct pollfd *fds, nfds_t nfds, int timeout)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rpoll)
		return forward_minus1();
	return table->rpoll(fds, nfds, timeout);
}

ssize_t rread(int socket, void *buf, size_t count)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rread)
		return forward_minus1();
	return table->rread(socket, buf, count);
}

ssize_t rreadv(int socket, const struct iovec *iov, int iovcnt)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rreadv)
		return forward_minus1();
	return table->rreadv(socket, iov, iovcnt);
}

ssize_t rrecv(int socket, void *buf, size_t len, int flags)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rrecv)
		return forward_minus1();
	return table->rrecv(socket, buf, len, flags);
}

ssize_t rrecvfrom(int socket, void *buf, size_t len, int flags,
		  struct sockaddr *src_addr, socklen_t *addrlen)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rrecvfrom)
		return forward_minus1();
	return table->rrecvfrom(socket, buf, len, flags, src_addr, addrlen);
}

ssize_t rrecvmsg(int socket, struct msghdr *msg, int flags)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rrecvmsg)
		return forward_minus1();
	return table->rrecvmsg(socket, msg, flags);
}

int rselect(int nfds, fd_set *readfds, fd_set *writefds, fd_set *exceptfds,
	    struct timeval *timeout)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rselect)
		return forward_minus1();
	return table->rselect(nfds, readfds, writefds, exceptfds, timeout);
}

ssize_t rsend(int socket, const void *buf, size_t len, int flags)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rsend)
		return forward_minus1();
	return table->rsend(socket, buf, len, flags);
}

ssize_t rsendmsg(int socket, const struct msghdr *msg, int flags)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rsendmsg)
		return forward_minus1();
	return table->rsendmsg(socket, msg, flags);
}

ssize_t rsendto(int socket, const void *buf, size_t len, int flags,
		const struct sockaddr *dest_addr, socklen_t addrlen)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rsendto)
		return forward_minus1();
	return table->rsendto(socket, buf, len, flags, dest_addr, addrlen);
}

int rsetsockopt(int socket, int level, int optname, const void *optval,
		socklen_t optlen)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rsetsockopt)
		return forward_minus1();
	return table->rsetsockopt(socket, level, optname, optval, optlen);
}

int rshutdown(int socket, int how)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rshutdown)
		return forward_minus1();
	return table->rshutdown(socket, how);
}

int rsocket(int domain, int type, int protocol)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rsocket)
		return forward_minus1();
	return table->rsocket(domain, type, protocol);
}

ssize_t rwrite(int socket, const void *buf, size_t count)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rwrite)
		return forward_minus1();
	return table->rwrite(socket, buf, count);
}

ssize_t rwritev(int socket, const struct iovec *iov, int iovcnt)
{
	const struct forward_table *table = entry_rsocket_table_get();

	if (!table->rwritev)
		return forward_minus1();
	return table->rwritev(socket, iov, iovcnt);
}
