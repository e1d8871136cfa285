/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sockets over RDMA. Each function behaves like the one of the C library that
 * has its name without the first letter. Only these functions may use the
 * descriptors that rsocket() and raccept() return.
 */
#ifndef RDMA_RSOCKET_H
#define RDMA_RSOCKET_H

/* Applications rely on the headers that this file includes. */
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The level of the options below */
#ifndef SOL_RDMA
#define SOL_RDMA 0x10000
#endif

/* Set before the socket is connected; all are int, but for the last. */
enum {
	RDMA_SQSIZE,	/* send requests */
	RDMA_RQSIZE,	/* receive requests */
	RDMA_INLINE,	/* bytes */
	RDMA_IOMAPSIZE, /* mappings that the peer may write to */
	RDMA_ROUTE,	/* struct ibv_path_data[] */
};

int rsocket(int domain, int type, int protocol);
int rclose(int socket);
int rshutdown(int socket, int how);
int rfcntl(int socket, int cmd, ... /* arg */);
int rsetsockopt(int socket, int level, int optname, const void *optval,
		socklen_t optlen);
int rgetsockopt(int socket, int level, int optname, void *optval,
		socklen_t *optlen);

int rbind(int socket, const struct sockaddr *addr, socklen_t addrlen);
int rlisten(int socket, int backlog);
int raccept(int socket, struct sockaddr *addr, socklen_t *addrlen);
int rconnect(int socket, const struct sockaddr *addr, socklen_t addrlen);
int rgetsockname(int socket, struct sockaddr *addr, socklen_t *addrlen);
int rgetpeername(int socket, struct sockaddr *addr, socklen_t *addrlen);

ssize_t rsend(int socket, const void *buf, size_t len, int flags);
ssize_t rsendto(int socket, const void *buf, size_t len, int flags,
		const struct sockaddr *dest_addr, socklen_t addrlen);
ssize_t rsendmsg(int socket, const struct msghdr *msg, int flags);
ssize_t rwrite(int socket, const void *buf, size_t count);
ssize_t rwritev(int socket, const struct iovec *iov, int iovcnt);

ssize_t rrecv(int socket, void *buf, size_t len, int flags);
ssize_t rrecvfrom(int socket, void *buf, size_t len, int flags,
		  struct sockaddr *src_addr, socklen_t *addrlen);
ssize_t rrecvmsg(int socket, struct msghdr *msg, int flags);
ssize_t rread(int socket, void *buf, size_t count);
ssize_t rreadv(int socket, const struct iovec *iov, int iovcnt);

/* These wait for sockets of both kinds. */
int rpoll(struct pollfd *fds, nfds_t nfds, int timeout);
int rselect(int nfds, fd_set *readfds, fd_set *writefds, fd_set *exceptfds,
	    struct timeval *timeout);
int repoll_create(int flags);
int repoll_ctl(int epfd, int op, int fd, struct epoll_event *event);
int repoll_wait(int epfd, struct epoll_event *events, int maxevents,
		int timeout);

/* Memory that the peer writes to by offset, without a receive call. */
off_t riomap(int socket, void *buf, size_t len, int prot, int flags,
	     off_t offset);
int riounmap(int socket, void *buf, size_t len);
size_t riowrite(int socket, const void *buf, size_t count, off_t offset,
		int flags);

#ifdef __cplusplus
}
#endif

#endif /* RDMA_RSOCKET_H */
