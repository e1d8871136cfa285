/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Errors of rsocket functions: descriptors that are not rsockets, arguments
 * that are invalid, and calls in a state that does not allow them.
 */
#include "librdmacm/rsocket/rsocket_ends.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cmocka.h>

#define NR_ROWS(rows) (sizeof(rows) / sizeof((rows)[0]))

/* -- calls; each returns -1 if it fails -- */

static char bytes[16];
static struct iovec one_iov = { bytes, 1 };

static ssize_t call_bind(int fd)
{
	struct sockaddr_in address = loopback(0);

	return rbind(fd, (struct sockaddr *)&address, sizeof(address));
}

static ssize_t call_bind_short(int fd)
{
	struct sockaddr_in address = loopback(0);

	return rbind(fd, (struct sockaddr *)&address, sizeof(address) - 1);
}

static ssize_t call_bind_family(int fd)
{
	struct sockaddr_in6 address = { .sin6_family = AF_INET6 };

	return rbind(fd, (struct sockaddr *)&address, sizeof(address));
}

static ssize_t call_bind_null(int fd)
{
	return rbind(fd, NULL, sizeof(struct sockaddr_in));
}

static ssize_t call_listen(int fd)
{
	return rlisten(fd, 1);
}

static ssize_t call_accept(int fd)
{
	return raccept(fd, NULL, NULL);
}

static ssize_t call_connect(int fd)
{
	struct sockaddr_in address = loopback(TEST_PORT);

	return rconnect(fd, (struct sockaddr *)&address, sizeof(address));
}

static ssize_t call_connect_short(int fd)
{
	struct sockaddr_in address = loopback(TEST_PORT);

	return rconnect(fd, (struct sockaddr *)&address, 2);
}

static ssize_t call_shutdown(int fd)
{
	return rshutdown(fd, SHUT_RDWR);
}

static ssize_t call_shutdown_unknown(int fd)
{
	return rshutdown(fd, 3);
}

static ssize_t call_getsockname(int fd)
{
	struct sockaddr_in address;
	socklen_t len = sizeof(address);

	return rgetsockname(fd, (struct sockaddr *)&address, &len);
}

static ssize_t call_getpeername(int fd)
{
	struct sockaddr_in address;
	socklen_t len = sizeof(address);

	return rgetpeername(fd, (struct sockaddr *)&address, &len);
}

static ssize_t call_getfl(int fd)
{
	return rfcntl(fd, F_GETFL);
}

static ssize_t call_dupfd(int fd)
{
	return rfcntl(fd, F_DUPFD, 0);
}

static int set_number(int fd, int level, int name)
{
	int value = 1;

	return rsetsockopt(fd, level, name, &value, sizeof(value));
}

static ssize_t call_set_option(int fd)
{
	return set_number(fd, SOL_SOCKET, SO_REUSEADDR);
}

static ssize_t call_set_null(int fd)
{
	return rsetsockopt(fd, SOL_SOCKET, SO_REUSEADDR, NULL, sizeof(int));
}

static ssize_t call_set_level(int fd)
{
	return set_number(fd, 12345, 1);
}

static ssize_t call_set_rdma(int fd)
{
	return set_number(fd, SOL_RDMA, RDMA_ROUTE + 1);
}

static ssize_t call_set_tcp(int fd)
{
	return set_number(fd, IPPROTO_TCP, TCP_FASTOPEN);
}

static ssize_t call_set_short_linger(int fd)
{
	return set_number(fd, SOL_SOCKET, SO_LINGER);
}

static ssize_t get_number(int fd, int level, int name, socklen_t len)
{
	int value;

	return rgetsockopt(fd, level, name, &value, &len);
}

static ssize_t call_get_option(int fd)
{
	return get_number(fd, SOL_SOCKET, SO_ERROR, sizeof(int));
}

static ssize_t call_get_short(int fd)
{
	return get_number(fd, SOL_SOCKET, SO_ERROR, 1);
}

static ssize_t call_get_level(int fd)
{
	return get_number(fd, 12345, 1, sizeof(int));
}

static ssize_t call_get_null(int fd)
{
	return rgetsockopt(fd, SOL_SOCKET, SO_ERROR, NULL, NULL);
}

static ssize_t call_send(int fd)
{
	return rsend(fd, bytes, 1, 0);
}

static ssize_t call_sendto(int fd)
{
	struct sockaddr_in address = loopback(TEST_PORT);

	return rsendto(fd, bytes, 1, 0, (struct sockaddr *)&address,
		       sizeof(address));
}

static ssize_t call_sendmsg(int fd)
{
	struct msghdr msg = { .msg_iov = &one_iov, .msg_iovlen = 1 };

	return rsendmsg(fd, &msg, 0);
}

static ssize_t call_sendmsg_control(int fd)
{
	struct msghdr msg = {
		.msg_iov = &one_iov,
		.msg_iovlen = 1,
		.msg_control = bytes,
		.msg_controllen = sizeof(bytes),
	};

	return rsendmsg(fd, &msg, 0);
}

static ssize_t call_sendmsg_long(int fd)
{
	struct msghdr msg = { .msg_iov = &one_iov, .msg_iovlen = SIZE_MAX };

	return rsendmsg(fd, &msg, 0);
}

static ssize_t call_write(int fd)
{
	return rwrite(fd, bytes, 1);
}

static ssize_t call_writev(int fd)
{
	return rwritev(fd, &one_iov, 1);
}

static ssize_t call_writev_negative(int fd)
{
	return rwritev(fd, &one_iov, -1);
}

static ssize_t call_recv(int fd)
{
	return rrecv(fd, bytes, 1, MSG_DONTWAIT);
}

static ssize_t call_recvfrom(int fd)
{
	return rrecvfrom(fd, bytes, 1, MSG_DONTWAIT, NULL, NULL);
}

static ssize_t call_recvmsg(int fd)
{
	struct msghdr msg = { .msg_iov = &one_iov, .msg_iovlen = 1 };

	return rrecvmsg(fd, &msg, MSG_DONTWAIT);
}

static ssize_t call_recvmsg_control(int fd)
{
	struct msghdr msg = {
		.msg_iov = &one_iov,
		.msg_iovlen = 1,
		.msg_control = bytes,
		.msg_controllen = sizeof(bytes),
	};

	return rrecvmsg(fd, &msg, MSG_DONTWAIT);
}

static ssize_t call_read(int fd)
{
	return rread(fd, bytes, 1);
}

static ssize_t call_readv(int fd)
{
	return rreadv(fd, &one_iov, 1);
}

static ssize_t call_readv_negative(int fd)
{
	return rreadv(fd, &one_iov, -1);
}

static ssize_t call_iomap(int fd)
{
	return riomap(fd, bytes, sizeof(bytes), PROT_WRITE, 0, 0);
}

static ssize_t call_iomap_readable(int fd)
{
	return riomap(fd, bytes, sizeof(bytes), PROT_READ, 0, 0);
}

static ssize_t call_iomap_empty(int fd)
{
	return riomap(fd, bytes, 0, PROT_WRITE, 0, 0);
}

static ssize_t call_iounmap(int fd)
{
	return riounmap(fd, bytes, sizeof(bytes));
}

static ssize_t call_iowrite(int fd)
{
	return (ssize_t)riowrite(fd, bytes, 1, 0, 0);
}

static ssize_t call_select(int fd)
{
	fd_set set;
	struct timeval no_time = { 0 };

	FD_ZERO(&set);
	FD_SET(fd, &set);
	return rselect(fd + 1, &set, NULL, NULL, &no_time);
}

/* Some functions return a positive errno value instead of -1. */
static ssize_t result_of(int ret)
{
	if (ret <= 0)
		return ret;
	errno = ret;
	return -1;
}

static ssize_t call_close(int fd)
{
	return result_of(rclose(fd));
}

static ssize_t call_repoll_add(int fd)
{
	struct epoll_event event = { .events = EPOLLIN };
	int set = repoll_create(0);
	int ret;

	assert_true(set >= 0);
	ret = repoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
	if (!ret)
		assert_int_equal(repoll_ctl(set, EPOLL_CTL_DEL, fd, NULL), 0);
	assert_int_equal(rclose(set), 0);
	return result_of(ret);
}

static ssize_t call_repoll_ctl(int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return result_of(repoll_ctl(fd, EPOLL_CTL_ADD, 0, &event));
}

static ssize_t call_repoll_wait(int fd)
{
	struct epoll_event event;

	return result_of(repoll_wait(fd, &event, 1, 0));
}

static void expect_error(ssize_t (*call)(int fd), int fd, int error, size_t row)
{
	ssize_t ret;

	errno = 0;
	ret = call(fd);
	if (ret != -1 || errno != error)
		fail_msg("call %zu: %zd, errno %d instead of %d", row, ret,
			 errno, error);
}

/* -- tests -- */

static void each_call_without_rsocket_fails_with_ebadf(void **state)
{
	static ssize_t (*const calls[])(int fd) = {
		call_bind,    call_listen,	call_accept,
		call_connect, call_shutdown,	call_getsockname,
		call_getfl,   call_getpeername, call_set_option,
		call_send,    call_get_option,	call_sendto,
		call_sendmsg, call_write,	call_writev,
		call_recv,    call_recvfrom,	call_recvmsg,
		call_read,    call_readv,	call_iomap,
		call_iounmap, call_iowrite,	call_repoll_ctl,
		call_close,   call_repoll_wait,
	};
	int closed = stream_new();
	const int fds[] = { -1, 0, 1 << 30, closed };

	assert_int_equal(rclose(closed), 0);
	for (size_t i = 0; i < NR_ROWS(calls); i++) {
		for (size_t k = 0; k < NR_ROWS(fds); k++)
			expect_error(calls[i], fds[k], EBADF, i);
	}
	expect_error(call_select, closed, EBADF, 0);
	expect_error(call_repoll_add, 1 << 30, EBADF, 0);
}

struct refused_call {
	ssize_t (*call)(int fd);
	int error;
};

static void expect_errors(const struct refused_call *calls, size_t nr, int fd)
{
	for (size_t i = 0; i < nr; i++)
		expect_error(calls[i].call, fd, calls[i].error, i);
}

static void calls_of_new_socket_refuse_arguments_and_state(void **state)
{
	static const struct refused_call calls[] = {
		{ call_bind_short, EINVAL },
		{ call_bind_family, EAFNOSUPPORT },
		{ call_bind_null, EFAULT },
		{ call_connect_short, EINVAL },
		{ call_accept, EBADF }, /* as other releases */
		{ call_shutdown, ENOTCONN },
		{ call_shutdown_unknown, EINVAL },
		{ call_getpeername, ENOTCONN },
		{ call_dupfd, ENOTSUP },
		{ call_set_null, EFAULT },
		{ call_set_level, ENOTSUP },
		{ call_set_rdma, ENOTSUP },
		{ call_set_tcp, ENOTSUP },
		{ call_set_short_linger, EINVAL },
		{ call_get_short, EINVAL },
		{ call_get_level, ENOTSUP },
		{ call_get_null, EFAULT },
		{ call_send, ENOTCONN },
		{ call_sendto, EISCONN },
		{ call_sendmsg_control, ENOTSUP },
		{ call_sendmsg_long, EMSGSIZE },
		{ call_writev_negative, EINVAL },
		{ call_recv, ENOTCONN },
		{ call_recvmsg_control, ENOTSUP },
		{ call_readv_negative, EINVAL },
		{ call_iomap_readable, EINVAL },
		{ call_iomap_empty, EINVAL },
		{ call_iounmap, EINVAL },
		{ call_repoll_ctl, EBADF },
		{ call_repoll_wait, EBADF },
	};
	int fd = stream_new();

	expect_errors(calls, NR_ROWS(calls), fd);
	/* The socket can still be used. */
	assert_int_equal(call_bind(fd), 0);
	assert_int_equal(call_listen(fd), 0);
	assert_int_equal(rclose(fd), 0);
}

static void calls_of_listener_refuse_state(void **state)
{
	static const struct refused_call calls[] = {
		{ call_bind, EINVAL },		{ call_connect, EINVAL },
		{ call_send, ENOTCONN },	{ call_recv, ENOTCONN },
		{ call_getpeername, ENOTCONN },
	};
	int listener = listener_new();

	expect_errors(calls, NR_ROWS(calls), listener);
	assert_int_equal(call_listen(listener), 0); /* as other releases */
	assert_int_equal(rclose(listener), 0);
}

static void calls_of_connected_socket_refuse_state(void **state)
{
	static const struct refused_call calls[] = {
		{ call_bind, EINVAL },	  { call_listen, EINVAL },
		{ call_accept, EBADF },	  { call_connect, EISCONN },
		{ call_sendto, EISCONN }, { call_recv, EAGAIN },
		{ call_iomap, ENOMEM }, /* the peer offers none */
	};
	struct pair pair = pair_new();

	expect_errors(calls, NR_ROWS(calls), pair.client);
	assert_int_equal(call_send(pair.client), 1);
	pair_close(pair);
}

static void calls_of_repoll_set_are_not_those_of_sockets(void **state)
{
	static const struct refused_call calls[] = {
		{ call_bind, EOPNOTSUPP },
		{ call_connect, EOPNOTSUPP },
		{ call_listen, EOPNOTSUPP },
		{ call_send, EOPNOTSUPP },
		{ call_recv, EOPNOTSUPP },
		{ call_shutdown, EOPNOTSUPP },
		{ call_getsockname, EOPNOTSUPP },
		{ call_set_option, EOPNOTSUPP },
		{ call_get_option, EOPNOTSUPP },
	};
	int set = repoll_create(0);

	assert_true(set >= 0);
	expect_errors(calls, NR_ROWS(calls), set);
	errno = 0;
	assert_int_equal(repoll_create(1), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(rclose(set), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_without_rsocket_fails_with_ebadf),
		cmocka_unit_test(
			calls_of_new_socket_refuse_arguments_and_state),
		cmocka_unit_test(calls_of_listener_refuse_state),
		cmocka_unit_test(calls_of_connected_socket_refuse_state),
		cmocka_unit_test(calls_of_repoll_set_are_not_those_of_sockets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
