/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The functions of the C library under the names that this library defines
 * itself, and the mark of threads that are inside librdmacm.
 */
#ifndef PRELOAD_PRELOAD_LIBC_H
#define PRELOAD_PRELOAD_LIBC_H

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

struct preload_libc {
	int (*accept4)(int fd, struct sockaddr *address, socklen_t *len,
		       int flags);
	int (*bind)(int fd, const struct sockaddr *address, socklen_t len);
	int (*close)(int fd);
	int (*connect)(int fd, const struct sockaddr *address, socklen_t len);
	int (*dup)(int fd);
	int (*dup3)(int fd, int to, int flags);
	int (*epoll_ctl)(int set, int op, int fd, struct epoll_event *event);
	int (*epoll_pwait)(int set, struct epoll_event *events, int max,
			   int timeout_ms, const sigset_t *mask);
	int (*epoll_wait)(int set, struct epoll_event *events, int max,
			  int timeout_ms);
	int (*fcntl)(int fd, int cmd, ...);
	int (*getpeername)(int fd, struct sockaddr *address, socklen_t *len);
	int (*getsockname)(int fd, struct sockaddr *address, socklen_t *len);
	int (*getsockopt)(int fd, int level, int name, void *value,
			  socklen_t *len);
	int (*ioctl)(int fd, unsigned long request, ...);
	int (*listen)(int fd, int backlog);
	int (*poll)(struct pollfd *fds, nfds_t nr, int timeout_ms);
	int (*ppoll)(struct pollfd *fds, nfds_t nr,
		     const struct timespec *timeout, const sigset_t *mask);
	int (*pselect)(int nr, fd_set *reads, fd_set *writes, fd_set *excepts,
		       const struct timespec *timeout, const sigset_t *mask);
	int (*pthread_create)(pthread_t *thread, const pthread_attr_t *attr,
			      void *(*run)(void *), void *arg);
	ssize_t (*read)(int fd, void *bytes, size_t len);
	ssize_t (*readv)(int fd, const struct iovec *iov, int nr);
	ssize_t (*recvfrom)(int fd, void *bytes, size_t len, int flags,
			    struct sockaddr *address, socklen_t *address_len);
	int (*recvmmsg)(int fd, struct mmsghdr *msgs, unsigned int nr,
			int flags, struct timespec *timeout);
	ssize_t (*recvmsg)(int fd, struct msghdr *msg, int flags);
	int (*select)(int nr, fd_set *reads, fd_set *writes, fd_set *excepts,
		      struct timeval *timeout);
	ssize_t (*sendfile)(int to, int from, off_t *offset, size_t len);
	ssize_t (*sendfile64)(int to, int from, off64_t *offset, size_t len);
	int (*sendmmsg)(int fd, struct mmsghdr *msgs, unsigned int nr,
			int flags);
	ssize_t (*sendmsg)(int fd, const struct msghdr *msg, int flags);
	ssize_t (*sendto)(int fd, const void *bytes, size_t len, int flags,
			  const struct sockaddr *address,
			  socklen_t address_len);
	int (*setsockopt)(int fd, int level, int name, const void *value,
			  socklen_t len);
	int (*shutdown)(int fd, int how);
	int (*socket)(int domain, int type, int protocol);
	ssize_t (*splice)(int from, off64_t *from_offset, int to,
			  off64_t *to_offset, size_t len, unsigned int flags);
	ssize_t (*write)(int fd, const void *bytes, size_t len);
	ssize_t (*writev)(int fd, const struct iovec *iov, int nr);
};

/** preload_libc_get() - the functions of the next library of the process */
const struct preload_libc *preload_libc_get(void);

/**
 * preload_enter() - the thread calls librdmacm
 *
 * Until preload_leave(), calls of the thread, and of threads that it creates
 * meanwhile, mean descriptors of the RDMA libraries. Calls nest.
 */
void preload_enter(void);
void preload_leave(void);

/**
 * preload_suspend() - the thread leaves librdmacm until preload_resume()
 *
 * Return: the number of calls of preload_enter(), for preload_resume().
 */
unsigned int preload_suspend(void);
void preload_resume(unsigned int nr);

/** preload_is_inside() - whether the thread is inside librdmacm */
bool preload_is_inside(void);

#endif
